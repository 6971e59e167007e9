import { expect, it } from 'vitest';
import { DecodeError } from '../../errors/decode-error.js';
import { parseYaml } from './yaml-to-json.js';

const parse = (text: string) => parseYaml(Buffer.from(text));

it.each<[string, string, unknown]>([
  ['a bracket below its key', 'a: [\n  x\n]\nb: 1', { a: ['x'], b: 1 }],
  ['a bracket below a nested key', 'a:\n  b: [\n  x,\nz\n  ]\n  c: {}', { a: { b: ['x', 'z'], c: {} } }],
  ['braces in a sequence of sequences', '- - a: {\nb: c\n}\n  - d\n- e', [[{ a: { b: 'c' } }, 'd'], 'e']],
  ['braces with comments', 'a: { # b\n# c\nd: e # f\n}', { a: { d: 'e' } }],
  ['a text in double quotes', 'a: "x\ny"\nb: "z\n"', { a: 'x y', b: 'z ' }],
  ['a text in single quotes', "a:\n  b: 'x\ny'", { a: { b: 'x y' } }],
  ['other line breaks', 'a: [\r\nx\r\n]\r\nb: {\r\n}', { a: ['x'], b: {} }],
])('does not look at the indentation in brackets and quotes: %s', (_, text, value) => {
  expect(parse(text)).toEqual(value);
});

it.each<[string, string, unknown]>([
  ['double quotes', 'a: "x"#c\nb: 1', { a: 'x', b: 1 }],
  ['single quotes, in brackets', "a: ['x'#c\n, y#z]", { a: ['x', 'y#z'] }],
  ['a bracket', 'a: [#c\n x]#d\nb: {#e\n}#f', { a: ['x'], b: {} }],
  ['a comma', 'a: [x,#c\n z]', { a: ['x', 'z'] }],
  ['a quoted key', '"a": "b"#c', { a: 'b' }],
])('needs no blank before a comment behind %s', (_, text, value) => {
  expect(parse(text)).toEqual(value);
});

it.each<[string, string, unknown]>([
  ['at the start of a line', 'a: "\n\\\'\\\\\'\n"\nb: 1', { a: " '\\' ", b: 1 }],
  ['before the end', `a: "don\\'t"\nb: "x\\'"#c`, { a: "don't", b: "x'" }],
])('takes escapes of single quotes: %s', (_, text, value) => {
  expect(parse(text)).toEqual(value);
});

it.each<[string, unknown]>([
  ['[c:]', ['c:']],
  ['a: [c :, d, e: f]', { a: ['c :', 'd', { e: 'f' }] }],
  ['[&x c:, *x]', ['c:', 'c:']],
  ['{c:, d: {1:}, "e":}', { 'c:': null, d: { '1:': null }, e: null }],
  ['[? c:]', [{ 'c:': null }]],
])('takes a colon before the end in brackets for a part of the text: %s', (text, value) => {
  expect(parse(text)).toEqual(value);
});

it.each([
  ['[]#\n]', []],
  ['[x] # ]\n# c\n]', ['x']],
  ['"a" #c\n]', 'a'],
  ['[a] #c\n"b"', ['a']],
  ["[a]\n'b'\nc", ['a']],
])('ends a document before a comment: %j', (text, value) => {
  expect(parse(text)).toEqual(value);
});

it.each([
  ['a: "\\#c"', 'yaml: found unknown escape character'],
  ['a: "\n\\# c\n"', 'yaml: line 2: found unknown escape character'],
  ['{"a" #c\n: 1}', "yaml: line 1: did not find expected ',' or '}'"],
  ['a: [\n,]', 'yaml: line 1: did not find expected node content'],
  ['a: "\n--- b"', 'yaml: line 2: found unexpected document indicator'],
  ["a:\n- 'x'y: 1", 'yaml: line 1: did not find expected key'],
  ['a: !!str c:', 'yaml: mapping values are not allowed in this context'],
  ['a: &x c: d', 'yaml: mapping values are not allowed in this context'],
  ['a:\n-\tb', 'yaml: line 2: found character that cannot start any token'],
  ["a:\n  - 'b\n...\n'", 'yaml: line 3: found unexpected document indicator'],
])('refuses %j', (text, message) => {
  expect(() => parse(text)).toThrow(new DecodeError('syntax', message));
});

it.each([
  ['behind them', 'a: [\nx\n]\nb: {\n}}', 'yaml: line 4: did not find expected key'],
  ['for an open bracket', 'a: [\nx\n', "yaml: line 2: did not find expected ',' or ']'"],
])('names the line of a fault: %s', (_, text, message) => {
  expect(() => parse(text)).toThrow(message);
});

it.each([
  ['many lines', `a: [\n${'"x",\n'.repeat(100_000)}]`],
  ['many lines and deep ones', `a:\n${' '.repeat(50_000)}b: [\n${'x,\n'.repeat(50_000)}]`],
])('refuses too much to indent: %s', (_, text) => {
  expect(() => parse(text)).toThrow('yaml: line ');
});

it('indents a long list, and many empty lines, at once', () => {
  const list = `${'x,\n'.repeat(100_000)}${'\n'.repeat(100_000)}`;
  expect(parse(`a: [\n${list}]`)).toEqual({ a: Array(100_000).fill('x') });
});
