import { expect, it } from 'vitest';
import { unlistedDocuments } from './unlisted-documents.ts';

const texts: Readonly<Record<string, string>> = {
  'README.md': '[a](docs/a.md#part), [decisions](docs/decisions/README.md), `docs/b.md`',
  'docs/decisions/README.md': '| [0001](0001-one.md) | one |',
};

it('finds documents that the README of their folder, or else the first page, does not link to', () => {
  const files = [
    'README.md',
    ...[
      'docs/a.md',
      'docs/b.md',
      'docs/decisions/README.md',
      'docs/decisions/0001-one.md',
      'docs/decisions/0002-two.md',
    ],
    'packages/x/README.md',
  ];
  expect(unlistedDocuments(files, (path) => texts[path] ?? '')).toEqual(['docs/b.md', 'docs/decisions/0002-two.md']);
});
