import { expect, test } from 'vitest';
import { brokenReferences } from './broken-references.ts';

const files = [
  'README.md',
  'docs/a.md',
  'docs/decisions/0001-first.md',
  'packages/x/src/watch/cache.ts',
  'packages/x/src/watch/cache.test.ts',
  'packages/x/src/testing/storage-suite.ts',
  'test/verbs/reads.test.ts',
];
const repository = { files, scripts: ['build', 'check'] };
const texts: Readonly<Record<string, string>> = { 'docs/a.md': '# One thing: `x`, and more\n', 'README.md': '' };
const brokenIn = (text: string) => brokenReferences('docs/b.md', text, repository, (path) => texts[path] ?? '');

test.each([
  ['links', '[a](a.md) [up](../README.md) [folder](decisions/) [web](https://x.y/z) [b](b.md)', ['link to b.md']],
  ['links to headings', '[a](a.md#one-thing-x-and-more) [c](a.md#two)', ['link to a.md#two']],
  [
    'paths as code',
    '`docs/a.md` `packages/x/src/watch` `docs/decisions/0001` `packages/x/src/gone.ts` `node scripts/gone.mjs` `a/b` `test/*.ts`',
    ['path packages/x/src/gone.ts', 'path scripts/gone.mjs'],
  ],
  ['npm scripts', 'npm run build, `npm run check -- x`\n```sh\nnpm run gone\n```\n', ['npm run gone']],
  [
    'tests in tables',
    [
      '| phrase | test |',
      '| --- | --- |',
      '| a | watch/cache, x/cache (by hand: 9, 4), cache.test |',
      '| b | test/verbs/reads; two words, storage |',
      '| c | test/verbs/writes, watch/reads |',
    ].join('\n'),
    ['test test/verbs/writes', 'test watch/reads'],
  ],
  ['other tables', '| phrase | code |\n| --- | --- |\n| a | gone |', []],
  ['code is no prose', '```ts\n// [x](gone.md) `docs/gone.md`\n```\n', []],
])('%s', (_, text, broken) => {
  expect(brokenIn(text)).toEqual(broken);
});
