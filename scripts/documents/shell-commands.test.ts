import { expect, test } from 'vitest';
import { commandsInProse, scriptsOf, serverArguments, shellCommandsOf } from './shell-commands.ts';

const command = (text: string) => ({ document: 'a.md', line: 1, text });

test('finds the commands and the lines that they stand in, without comments', () => {
  const text = '# X\n\n```sh\nnpm ci   # once\n# only this\nnpm start -- --v=1\n```\n\n```ts\nls();\n```\n';
  expect(shellCommandsOf('a.md', text)).toEqual([
    { document: 'a.md', line: 4, text: 'npm ci' },
    { document: 'a.md', line: 6, text: 'npm start -- --v=1' },
  ]);
});

test('finds those that the prose names', () => {
  expect(commandsInProse('a.md', 'Run\n`npm start -- -v=1` or `ls`, `npx x`.')).toEqual([
    { document: 'a.md', line: 2, text: 'npm start -- -v=1' },
    { document: 'a.md', line: 2, text: 'npx x' },
  ]);
});

test.each([
  ['npm start -- --v=1 --help', ['--v=1', '--help']],
  ['npx kube-apiserver backup FILE --data-dir=x', ['backup', 'FILE', '--data-dir=x']],
  ['npm start', undefined],
  ['npm start -- FLAGS', undefined],
])('%s: the server gets %j', (text, expected) => {
  expect(serverArguments(command(text))).toEqual(expected);
});

test('names the files that a command runs', () => {
  expect(scriptsOf(command('node scripts/a.mjs --x && node test/b.ts'))).toEqual(['scripts/a.mjs', 'test/b.ts']);
});
