import { expect, it } from 'vitest';
import { quotationsOf, staleQuotations, withFreshQuotations, withoutQuotations } from './quotations.ts';

const files: Readonly<Record<string, string>> = {
  'test/guides/a.ts': 'one();\ntwo();\n',
  'packages/b.ts': 'b();\nc();\n',
};
const read = (path: string) => files[path];
const quote = (path: string, code: string) => `Text.\n\n\`${path}\`:\n\`\`\`ts\n${code}\`\`\`\n\nMore.\n`;

it('finds the quotations of a document', () => {
  const text = `${quote('packages/b.ts', 'c();\n')}\`\`\`ts\nno quotation\n\`\`\`\n`;
  expect(quotationsOf(text)).toEqual([{ path: 'packages/b.ts', code: 'c();\n' }]);
});

it.each([
  ['a whole example', quote('test/guides/a.ts', 'one();\ntwo();\n'), []],
  [
    'a part of an example',
    quote('test/guides/a.ts', 'two();\n'),
    ['quotation of test/guides/a.ts differs from the file'],
  ],
  ['an excerpt', quote('packages/b.ts', 'c();\n'), []],
  ['a stale excerpt', quote('packages/b.ts', 'd();\n'), ['quotation of packages/b.ts differs from the file']],
])('judges %s', (_, text, stale) => {
  expect(staleQuotations(text, read)).toEqual(stale);
});

it('refreshes examples only', () => {
  const text = quote('test/guides/a.ts', 'old();\n') + quote('packages/b.ts', 'c();\n');
  const fresh = withFreshQuotations(text, read);
  expect(fresh).toBe(quote('test/guides/a.ts', 'one();\ntwo();\n') + quote('packages/b.ts', 'c();\n'));
});

it('leaves only examples of the document itself', () => {
  const example = '```ts\nexample();\n```\n';
  expect(withoutQuotations(quote('packages/b.ts', 'c();\n') + example)).toBe(
    quote('packages/b.ts', 'c();\n').replace('```ts', '```') + example,
  );
});
