import { expect, test } from 'vitest';
import { codeBlocksOf, faultsOf } from './code-blocks.ts';

const text = [
  '# X',
  '',
  '```ts',
  'const a = 1;',
  '```',
  '',
  '```sh',
  'ls',
  '```',
  '',
  '```ts',
  'b();',
  'c();',
  '```',
  '',
].join('\n');

test('finds the blocks of TypeScript and where they begin', () => {
  expect(codeBlocksOf('a.md', text)).toEqual([
    { document: 'a.md', line: 4, code: 'const a = 1;\n' },
    { document: 'a.md', line: 12, code: 'b();\nc();\n' },
  ]);
});

test('reports faults by the line of the document, except names that the reader declares', () => {
  const blocks = new Map([['block-0.ts', { document: 'a.md', line: 12, code: '' }]]);
  const output = [
    "block-0.ts(1,1): error TS2304: Cannot find name 'b'.",
    "block-0.ts(2,5): error TS2339: Property 'd' does not exist on type 'C'.",
    '  an explanation',
    "../x.ts(7,1): error TS1005: ';' expected.",
    "error TS2688: Cannot find type definition file for 'node'.",
  ].join('\n');
  expect(faultsOf(output, blocks)).toEqual([
    "a.md:13: Property 'd' does not exist on type 'C'.",
    "../x.ts: ';' expected.",
    "the compiler: Cannot find type definition file for 'node'.",
  ]);
});
