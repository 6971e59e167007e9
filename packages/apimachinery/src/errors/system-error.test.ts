import { accessSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { errorOf } from './message-of.js';
import { codeOf, goErrorText, goFileError, goWordsOf, isMissingFile } from './system-error.js';

function failureOf(path: string): Error {
  try {
    readFileSync(path);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error(`${path} can be read`);
}

test.each([
  ['/none/here', 'ENOENT', 'open /none/here: no such file or directory', true],
  ['/dev/null/here', 'ENOTDIR', 'open /dev/null/here: not a directory', false],
  [tmpdir(), 'EISDIR', `read ${tmpdir()}: is a directory`, false],
])('the failure to read %s is %s: %s', (path, code, text, isMissing) => {
  const failure = failureOf(path);
  expect([codeOf(failure), goFileError('open', path, failure), isMissingFile(failure)]).toEqual([
    code,
    text,
    isMissing,
  ]);
});

test.skipIf(process.platform !== 'linux').each([
  ['a file that cannot be read', '/proc/self/mem', 'r', 'read /proc/self/mem: input/output error'],
  ['a folder', tmpdir(), 'w', `open ${tmpdir()}: is a directory`],
  ['a long name', `/${'a'.repeat(300)}`, 'r', `open /${'a'.repeat(300)}: file name too long`],
])('Go tells the failure of %s as this does', (_, path, flag, text) => {
  const failure = thrownBy(() => readFileSync(path, { flag }));
  expect(goFileError('open', path, errorOf(failure))).toBe(text);
});

test.each([
  ['/none/here', 'open /none/here: no such file or directory'],
  [tmpdir(), 'EISDIR: illegal operation on a directory, read'],
])('the failure to read %s tells itself: %s', (path, text) => {
  expect(goErrorText(failureOf(path))).toBe(text);
});

test.each([
  [() => statSync('/none'), 'stat /none: no such file or directory'],
  [() => accessSync('/none'), 'access /none: no such file or directory'],
  [() => mkdirSync('/none/a'), 'mkdir /none/a: no such file or directory'],
  [() => JSON.parse('{'), "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
])('%s fails: %s', (fail, text) => {
  expect(goErrorText(thrownBy(fail))).toBe(text);
});

function thrownBy(fail: () => unknown): unknown {
  try {
    return fail();
  } catch (error) {
    return error;
  }
}

test('the operation stands in the text', () => {
  expect(goFileError('stat', '/none', failureOf('/none'))).toBe('stat /none: no such file or directory');
});

test.each([[new Error('other')], [Object.assign(new Error('other'), { code: 'EOTHER' })]])(
  '%o has no words of Go',
  (failure) => {
    expect([goWordsOf(failure), goFileError('open', '/a', failure)]).toEqual([undefined, 'other']);
  },
);

test.each([undefined, null, 'ENOENT', { code: 'ENOENT' }, Object.assign(new Error('number'), { code: 2 })])(
  '%o has no code',
  (thrown) => {
    expect([codeOf(thrown), isMissingFile(thrown), goWordsOf(thrown)]).toEqual([undefined, false, undefined]);
  },
);
