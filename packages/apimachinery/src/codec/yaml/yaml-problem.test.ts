import { describe, expect, it } from 'vitest';
import { messageOf } from '../../errors/message-of.js';
import { yamlToJson } from './yaml-to-json.js';

function refusalOf(text: string): string {
  try {
    yamlToJson(Buffer.from(text));
    return 'nothing';
  } catch (error) {
    return messageOf(error);
  }
}

// The messages of sigs.k8s.io/yaml v1.6.0.
describe('a syntax error has the message and line of Go’s library', () => {
  it.each([
    ['{{{{', 'yaml: line 1: did not find expected node content'],
    ['a: b: c\n', 'yaml: mapping values are not allowed in this context'],
    ['a: [1, 2\n', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: {b: 1\n', "yaml: line 1: did not find expected ',' or '}'"],
    ["a: 'x\n", 'yaml: line 2: found unexpected end of stream'],
    ['a: "x', 'yaml: found unexpected end of stream'],
    ['a:\n\tb: 1\n', 'yaml: line 2: found character that cannot start any token'],
    ['a: 1\n b: 2\n', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: 1\nb\n', "yaml: line 3: could not find expected ':'"],
    ['- a\nb: 1\n', "yaml: line 1: did not find expected '-' indicator"],
    ['a: |\n  x\n y: 1\n', 'yaml: line 2: did not find expected key'],
    ['a: ]\n', 'yaml: did not find expected node content'],
    ['[a, b}\n', "yaml: did not find expected ',' or ']'"],
    ['a: @x\n', 'yaml: found character that cannot start any token'],
    ['%YAML 3.0\n---\na: 1\n', 'yaml: found incompatible YAML document'],
    ['a:\n  b: "\\q"\n', 'yaml: line 2: found unknown escape character'],
    ['a:\n  b: "\\/"\n', 'yaml: line 2: found unknown escape character'],
    ['a: "\n  \\/"\n', 'yaml: line 2: found unknown escape character'],
    ['a: "\\/"\n', 'yaml: found unknown escape character'],
    ['a: "\\\\/"\n', 'nothing'],
    ['a: "\\ud83d\\ude00"\n', 'yaml: found invalid Unicode character escape code'],
    ['{"a": "\\ud83d\\ude00"}', 'yaml: found invalid Unicode character escape code'],
    ['{"a": "\\/"}', 'yaml: found unknown escape character'],
    ['a: "\\U00110000"\n', 'yaml: found invalid Unicode character escape code'],
    ['a: "\\U0001F600"\n', 'nothing'],
    ['a: !!binary "*"\n', 'yaml: !!binary value contains invalid base64 data'],
    ['%YAML 1.2\n---\na: 1\n', 'yaml: found incompatible YAML document'],
    ['%YAML 1.1\n---\na: 1\n', 'nothing'],
    ['...\na: 1\n', 'yaml: did not find expected node content'],
    ['....: 1\n', 'nothing'],
    ['{"a"\n:1}', "yaml: line 1: did not find expected ',' or '}'"],
    ['x: 1\nb: {"a"\n :1}', "yaml: line 2: did not find expected ',' or '}'"],
    ['{a\n: 1}', "yaml: line 1: did not find expected ',' or '}'"],
    ['{"a\n b": 1}', "yaml: line 1: did not find expected ',' or '}'"],
    ['{? "a"\n: 1}', 'nothing'],
    ['{"a":\n1}', 'nothing'],
    ['b:\n  c: {d: ?a}\n', 'yaml: line 1: did not find expected node content'],
    ['b:\n  c: [:a]\n', 'yaml: line 1: did not find expected node content'],
    ['b:\n  c: {a:{}}\n', "yaml: line 1: did not find expected ',' or '}'"],
    ['[a:[]]', "yaml: did not find expected ',' or ']'"],
    ['[http://x?a=1]', "yaml: did not find expected ',' or ']'"],
    ['{a: b?}', "yaml: did not find expected ',' or '}'"],
    ['a: http://x?a=1', 'nothing'],
    ['{a: !!str}', 'yaml: did not find expected whitespace or line break'],
    ['{a: 1} @', 'yaml: found character that cannot start any token'],
    ['{a: 1} - b', 'yaml: block sequence entries are not allowed in this context'],
    ['\t{"a":1}', 'yaml: found character that cannot start any token'],
    ['\n\t\n{"a":1}', 'yaml: line 2: found character that cannot start any token'],
    ['# c\n\ta: 1', 'yaml: line 2: found character that cannot start any token'],
    ['--- \t{a: 1}', 'nothing'],
    ['\tx: 1\n', 'yaml: found character that cannot start any token'],
    ['a: - b\n', 'yaml: block sequence entries are not allowed in this context'],
    ['a:\n- b\n c: 1\n', 'yaml: line 3: mapping values are not allowed in this context'],
    ['a:\n  b: 1\n c: 2\n', 'yaml: line 2: did not find expected key'],
    ['a: >x\n  b\n', 'yaml: did not find expected comment or line break'],
    ['key: [a, b\nc: d\n', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: \u0001\n', 'yaml: control characters are not allowed'],
    ['spec:\n  a: 1\n  labels\ndata: {}\n', "yaml: line 4: could not find expected ':'"],
    ['spec:\n  name: x\n    labels: {}\n', 'yaml: line 3: mapping values are not allowed in this context'],
    ['a: 1\nb: "x\\xzz"\n', 'yaml: line 2: did not find expected hexdecimal number'],
    ["a: 'it's'\n", 'yaml: did not find expected key'],
    ['a: &\n', 'yaml: did not find expected alphabetic or numeric character'],
    ['{"a": "b" "c": 1}', "yaml: did not find expected ',' or '}'"],
    ['{"a": "b', 'yaml: found unexpected end of stream'],
    ['{"a": [1, 2}', "yaml: did not find expected ',' or ']'"],
    ['a:\n]\n', 'yaml: line 1: did not find expected node content'],
    ['"a": "b","c": 1}', 'yaml: did not find expected key'],
    ['a: [b] ]', 'yaml: did not find expected key'],
    ['x: "a":1', 'yaml: did not find expected key'],
  ])('%j', (text, message) => {
    expect(refusalOf(text)).toBe(message);
  });

  it.each([
    ['"a":1', 'a'],
    ['# x\n"a":"b","c":1}\n', 'a'],
    ["---\n'a''b':[1", "a'b"],
  ])('%j is a text, and what follows it is not read', (text, value) => {
    expect(yamlToJson(Buffer.from(text)).value).toBe(value);
  });

  it('an error without a Go message has that of js-yaml', () => {
    const text = '%TAG ! x\n%TAG ! y\n---\na: 1\n';
    expect(refusalOf(text)).toMatch(/^yaml: line \d+: /);
  });
});

// The results of sigs.k8s.io/yaml v1.6.0.
it.each([
  ['{a: 1} b', { a: 1 }],
  ['{a: 1}}', { a: 1 }],
  ['{a: 1}\n- b', { a: 1 }],
  ['--- [1] b', [1]],
  ['"x"\ny', 'x'],
  ["'x' ]", 'x'],
  ['[?a, b]', [{ a: null }, 'b']],
  ['[?a: b]', [{ a: 'b' }]],
  ['{?"a": 1}', { a: 1 }],
  ['?a: 1', { '?a': 1 }],
  ['{a:"x"}', { 'a:"x"': null }],
])('reads %j as upstream', (text, value) => expect(yamlToJson(Buffer.from(text)).value).toEqual(value));

// Lines of go.yaml.in/yaml/v2.
it.each([
  ['a: 1\n<<: {a: 2}', [2]],
  ['<<: {a: 2}\na: 1', [2]],
  ['a: 1\n<<:\n- {a: 2}\n- {a: 3,\n b: 4}', [4, 3]],
  ['x: &x\n  a: 1\ny:\n  a: 2\n  <<: *x\n  b:\n  b: |\n    text\n', [2, 7]],
  ['a: 1\na:\n\n  |\n  text\n', [4]],
  ['a: 1\na: >-\n\n\n  text\n', [2]],
  ['a: 1\na: !!str\n  x\n', [2]],
  ['a: 1\na:\n  - 1\n', [3]],
  ['a: 1\na:\n\nb: 1', [2]],
])('finds the lines of repeated keys in %j', (text, lines) => {
  const { duplicates = '' } = yamlToJson(Buffer.from(text));
  expect([...duplicates.matchAll(/line (\d+): key/g)].map(([, line]) => Number(line))).toEqual(lines);
});

it('finds the ends of many merges in one pass', () => {
  const DEPTH = 300;
  const inner = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join(', ');
  const text = `${'{<<: ['.repeat(DEPTH)}{${inner}}${']}'.repeat(DEPTH)}`;
  const value = yamlToJson(Buffer.from(text)).value;
  expect(Object.keys(value as object).length).toBe(20_000);
});

/** Milliseconds of the fastest of three readings. */
function readingMs(text: string): number {
  const bytes = Buffer.from(text);
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    yamlToJson(bytes);
    return performance.now() - start;
  });
  return Math.min(...times);
}

// In quadratic time each takes more than 800 milliseconds.
it.each([
  ['empty lines before a text behind the end', `{${'\n'.repeat(60_000)}a: 1}\nb`],
  ['tabs before a text behind the end', `{${'\n\t'.repeat(30_000)}a: 1} b`],
  ['comments before a text behind the end', `[] #c\n${'#c\n'.repeat(60_000)}]`],
  ['aliases of a key with much space', `a: &x {k${' '.repeat(120_000)}: v}\nb: [${'*x,'.repeat(10_000)}]`],
])('reads %s in linear time', (_, text) => expect(readingMs(text)).toBeLessThan(250));
