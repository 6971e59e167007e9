import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { atOnce } from '../../clock/at-once.js';
import { isDecodeError } from '../../errors/decode-error.js';
import { WorkCounter } from '../../testing/work-counter.js';
import { encodeYaml, encodeYamlSteps } from './encode-yaml.js';
import { yamlToJson } from './yaml-to-json.js';

const work = new WorkCounter();
afterAll(() => work[Symbol.dispose]());

// The text and the place of the break are upstream's own example.
const long =
  'this is very long line with spaces and it must be longer than 80 so we will repeat that it must be longer that 80';

/** YAML in one call; checks that the steps give the same. */
function toYaml(value: unknown): string {
  const yaml = Buffer.from(encodeYaml(value)).toString('utf8');
  expect(Buffer.from(atOnce(encodeYamlSteps(value))).toString('utf8')).toBe(yaml);
  return yaml;
}

/** A flow sequence of this many equal items. */
const flow = (item: string, times: number) => `[${Array(times).fill(item)}]`;

describe('encodeYaml', () => {
  it.each<[string, unknown, string]>([
    ['collections', { b: [1, { d: 'x', c: [] }, [true]], a: {} }, 'a: {}\nb:\n- 1\n- c: []\n  d: x\n- - true\n'],
    [
      'words and numbers in quotes',
      ['yes', 'null', '~', '1', '0x1', '1e3', '1:30', '2026-01-02', '.5', '', 'no way'],
      '- "yes"\n- "null"\n- "~"\n- "1"\n- "0x1"\n- "1e3"\n- "1:30"\n- "2026-01-02"\n- ".5"\n- ""\n- no way\n',
    ],
    [
      'indicators',
      ['a: b', 'a #b', '-x', '- x', '*a', "it's", ' a', 'a '],
      "- 'a: b'\n- 'a #b'\n- -x\n- '- x'\n- '*a'\n- it's\n- ' a'\n- 'a '\n",
    ],
    ['unprintable text', ['a\tb', '\u{1f600}', 'é'], '- "a\\tb"\n- "\\U0001F600"\n- é\n'],
    [
      'literal blocks',
      { a: 'x\ny', b: 'x\n', c: 'x\n\n', d: ' x\n' },
      'a: |-\n  x\n  y\nb: |\n  x\nc: |+\n  x\n\nd: |2\n   x\n',
    ],
    [
      'long text is folded',
      { t: long },
      't: this is very long line with spaces and it must be longer than 80 so we will repeat\n  that it must be longer that 80\n',
    ],
    ['natural order of keys', { a10: 1, a9: 2, B: 3, _: 4 }, '_: 4\nB: 3\na9: 2\na10: 1\n'],
    [
      'numbers',
      [1.5, 1e21, 1234567.5, -0.00001, 9007199254740993n],
      '- 1.5\n- 1e+21\n- 1.2345675e+06\n- -1e-05\n- 9007199254740993\n',
    ],
    ['a bare scalar', 'x', 'x\n'],
  ])('%s', (_, value, expected) => {
    expect(toYaml(value)).toBe(expected);
  });

  // If the cost of an entry grew with the text before it, the second run would cost 16 times as much.
  it.each<[string, (count: number) => unknown]>([
    ['empty maps', (count) => Array.from({ length: count }, () => ({}))],
    ['members', (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))],
    ['blanks where a line may break', (count) => 'a '.repeat(8 * count)],
    ['blanks where none may', (count) => `a${' '.repeat(8 * count)}a`],
    ['lines', (count) => 'a\n'.repeat(count)],
    ['escapes', (count) => '\u{1f600} '.repeat(count)],
    ['digits of two keys', (count) => ({ [`${'1'.repeat(8 * count)}0`]: 1, [`2${'0'.repeat(8 * count)}`]: 1 })],
  ])('works for each of many %s no more than for each of a few', (_, make) => {
    const [few, many] = [make(4_000), make(64_000)];
    expect(work.count(() => encodeYaml(many))).toBeLessThan(32 * work.count(() => encodeYaml(few)));
  });
});

/** The value, or its error. */
function read(text: string): unknown {
  try {
    const { value, duplicates } = yamlToJson(Buffer.from(text));
    return duplicates === undefined ? value : { value, duplicates };
  } catch (error) {
    return isDecodeError(error) ? error.message : error;
  }
}

describe('yamlToJson', () => {
  it('reads JSON as YAML does', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('<<', '~', 'yes', '1', 'a: b', ' # x', "'", '*a', '__proto__', '', '{{', 'k'.repeat(1_100)),
    );
    const scalar = fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
    const { object } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    }));
    const read = (source: string) => {
      try {
        return yamlToJson(Buffer.from(source));
      } catch (error) {
        return isDecodeError(error) ? error.message : error;
      }
    };
    // A leading space disables the fast path for JSON.
    const same = (json: string): void => {
      expect(read(json)).toEqual(read(` ${json}`));
    };
    fc.assert(
      fc.property(object, (value) => same(JSON.stringify(value))),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 1_000 },
    );
    for (const json of [
      '{"a":1,"a":2}',
      '{"a":"\\u0041"}',
      '{"a": 1 , "b":[ ] }',
      '{}',
      '{"a":01}',
      '{"a":12345678901234567}',
      '{"a":[18446744073709551615,18446744073709551616,-9223372036854775809,123456789012345678901234567890]}',
    ]) {
      same(json);
    }
  });

  it.each<[string, string, unknown]>([
    ['YAML 1.1 words', '[yes, off, y, ~, Null, "yes"]', [true, false, true, null, null, 'yes']],
    [
      'numbers',
      '[0777, 0x1F, 0b11, 1_000, 08, 1e3, .5, +1, 12345678901234567890]',
      [511, 31, 3, 1000, 8, 1000, 0.5, 1, 12345678901234567890n],
    ],
    [
      'integers that 64 bits do not hold',
      '[18446744073709551616, -9223372036854775809, 01777777777777777777777, 02000000000000000000000, 0xffffffffffffffff, 0x10000000000000000]',
      [2 ** 64, -(2 ** 63), 2n ** 64n - 1n, 2e21, 2n ** 64n - 1n, '0x10000000000000000'],
    ],
    ['what only looks like numbers', '[1:30, 0x, 1.2.3, 2026-01-02]', ['1:30', '0x', '1.2.3', '2026-01-02']],
    ['keys become text', '{1: a, yes: b, 1.5: c}', { 1: 'a', true: 'b', 1.5: 'c' }],
    [
      'aliases and merges',
      'a: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: *x\n  r: 3\n',
      { a: { p: 1, q: 2 }, b: { p: 1, q: 2 }, c: { p: 1, q: 2, r: 3 } },
    ],
    [
      'merges by a tag',
      'a: &x {p: 1}\nb:\n  !!merge "<<": *x\nc:\n  !<tag:yaml.org,2002:merge> <<: *x\n',
      {
        a: { p: 1 },
        b: { p: 1 },
        c: { p: 1 },
      },
    ],
    ['a key that only looks like a merge', '"<<": 1', { '<<': 1 }],
    ['an anchor inside of one', 'a:\n  <<: [{k: &v 1}, {j: *v}]\n', { a: { j: 1, k: 1 } }],
    [
      'the last of several anchors, in the order of the text',
      'v: &v 0\na:\n  <<: [{k: &v 1}, {j: &v 2}]\nb: *v\n',
      { v: 0, a: { j: 2, k: 1 }, b: 2 },
    ],
    [
      'an anchor inside of what an alias repeats',
      'a: &o {i: &i 1}\nb: &i 2\nc: *o\nd: *i\n',
      { a: { i: 1 }, b: 2, c: { i: 1 }, d: 2 },
    ],
    ['an anchor on a merge', 'a: &x {p: 1}\nb:\n  &m <<: *x\nc: *m\n', { a: { p: 1 }, b: { p: 1 }, c: '<<' }],
    ['tags', '[!!str 1, !!int "1", !!float 1, !!binary aGk=]', ['1', 1, 1, 'hi']],
    ['no document', '', null],
    ['the first document', 'a: 1\n---\nb: 2\n', { a: 1 }],
    ['nothing behind it', 'a: 1\n---\n[[}', { a: 1 }],
    ['the first document, begun by a marker', '# a\n%YAML 1.1\n--- # b\na: 1\n...\n[[}', { a: 1 }],
    ['lines that end with CR', '# a\r---\ra: 1\rb: 2\r---\r[[}', { a: 1, b: 2 }],
    ['lines that end with CRLF, behind a byte order mark', '\ufeff# a\r\n---\r\na: 1\r\n---\r\n[[}', { a: 1 }],
    ['comments only', '# a\n# b\n', null],
    ['a first document that is empty', '---\n---\na: 1\n', null],
    ['a marker inside of text', 'a: |\n  ---\n  b\n', { a: '---\nb\n' }],
    ['__proto__', '{__proto__: 1}', JSON.parse('{"__proto__":1}')],
    [
      'duplicate keys',
      'a: 1\nb: 1\na: 2\n',
      {
        value: { a: 2, b: 1 },
        duplicates: 'yaml: unmarshal errors:\n  line 3: key "a" already set in map',
      },
    ],
    [
      'numbers as keys, which 32 bits hold',
      '{1.0: a, 1.5: b, 1.1e10: c, 123456.789: d, 0.00001: e, -0.0: f, 1e39: g, -.inf: h, .nan: i, 0.1: j, 1e5: k, 1e6: l}',
      {
        ...{
          '1': 'a',
          '1.5': 'b',
          '1.1e+10': 'c',
          '123456.79': 'd',
          '1e-05': 'e',
          '-0': 'f',
          '.inf': 'g',
          '-.inf': 'h',
        },
        ...{ '.nan': 'i', '0.1': 'j', '100000': 'k', '1e+06': 'l' },
      },
    ],
    [
      'infinite keys twice',
      '{.inf: a, .inf: b}',
      { value: { '.inf': 'b' }, duplicates: 'yaml: unmarshal errors:\n  line 1: key +Inf already set in map' },
    ],
    [
      'a value that JSON lacks, and that a later one replaces',
      'a: {b: .inf}\na: 1',
      { value: { a: 1 }, duplicates: 'yaml: unmarshal errors:\n  line 2: key "a" already set in map' },
    ],
    ['the first value that JSON lacks', '{b: .inf, a: [1, {c: -.inf}]}', 'json: unsupported value: -Inf'],
    ...['|', '>', '|+'].map((head): [string, string, unknown] => [
      `a block ${head} at the end`,
      `a: ${head}\n x`,
      { a: 'x' },
    ]),
    ['a block with an indented end', 'a: |\n x\n   ', { a: 'x\n  ' }],
    ['a block with blanks at the end', 'a: |\n x\n ', { a: 'x\n' }],
    ['a block of blanks', 'a: |+\n  ', { a: '' }],
    ['a block before a marker', 'a: |\n x\n---', { a: 'x\n' }],
    ['empty lines behind an escaped break', 'a: "b\\\n\n \t\n  c\\\\\\\n d"', { a: 'b\n\nc\\d' }],
    ['an escaped break of two characters', 'a: "b\\\r\n c"', { a: 'bc' }],
    ['empty lines behind an escaped backslash', 'a: "b\\\\\n\n c"', { a: 'b\\\nc' }],
    ['infinity for null', '{~: .inf}', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: +Inf'],
    ['null as a key', '{~: a}', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "a"'],
    ['null as a key of null', '~:', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>'],
    [
      'a key beyond 64 bits with a sign',
      '9223372036854775808: [1, {a: ~}]',
      'unsupported map key of type: uint64, key: 0x8000000000000000, value: []interface {}{1, map[interface {}]interface {}{"a":interface {}(nil)}}',
    ],
    ['unknown anchors', '*x', "yaml: unknown anchor 'x' referenced"],
    ['the first of several unknown anchors', 'a: {<<: [*y, *x]}', "yaml: unknown anchor 'y' referenced"],
    ['the anchor of a later map that is merged', 'a:\n  <<: [*x, &x {p: 1}]', "yaml: unknown anchor 'x' referenced"],
    ['a value inside itself', '&x [*x]', "yaml: anchor 'x' value contains itself"],
    ['values that JSON lacks', '.nan', 'json: unsupported value: NaN'],
    ['a merge of no map', '<<: 1', 'yaml: map merge requires map or sequence of maps as the value'],
    [
      'a list for a key',
      '? [a, 1, null, {c: d, b: 1.5}]\n: x',
      'yaml: invalid map key: []interface {}{"a", 1, interface {}(nil), map[interface {}]interface {}{"b":1.5, "c":"d"}}',
    ],
    ['a tag that does not fit', '!!int x', 'yaml: cannot decode !!str `x` as a !!int'],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('rejects excessive aliasing', () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(', ')}]`,
    );
    expect(read(`l0: &l0 [x]\n${levels.join('\n')}\n`)).toBe('yaml: document contains excessive aliasing');
  });

  // The numbers are where sigs.k8s.io/yaml v1.6.0 changes from one to the other.
  it.each<[string, number, (times: number) => string]>([
    ['aliases of a scalar', 23, (n) => `x: &a 1\ny: &b ${flow('*a', 9)}\nz: &c ${flow('*b', n)}\nq: ${flow('*c', 10)}`],
    ['aliases of a list', 10, (n) => `x: &a ${flow('1', 9)}\nz: &c ${flow('*a', n)}\nq: ${flow('*c', 150)}`],
    ['merges', 35, (n) => `x: &a {k: 1}\nz: &c ${flow('{<<: *a}', n)}\nq: ${flow('*c', 101)}`],
  ])('counts nodes as upstream: %s', (_, most, text) => {
    expect(typeof read(text(most))).toBe('object');
    expect(read(text(most + 1))).toBe('yaml: document contains excessive aliasing');
  });

  it.each<[string, number, unknown]>([
    ['as much text as a body', 2, expect.objectContaining({ x: 'x'.repeat(1_000_000) })],
    ['more', 4, 'yaml: document contains excessive aliasing'],
  ])('lets aliases of long text add %s', (_, count, expected) => {
    expect(read(`x: &a "${'x'.repeat(1_000_000)}"\ny: [${Array(count).fill('*a').join(', ')}]`)).toEqual(expected);
  });

  it('names the first thousand duplicate keys', () => {
    const lines = Array.from({ length: 5_000 }, () => 'a: 1\n').join('');
    const { value, duplicates } = yamlToJson(Buffer.from(lines));
    const named = duplicates?.split('\n') ?? [];
    expect([value, named.length, named[1_000], named[1_001]]).toEqual([
      { a: 1 },
      1_002,
      '  line 1001: key "a" already set in map',
      '  and 3999 more errors',
    ]);
  });

  it('rejects deep nesting', () => {
    expect(read('['.repeat(2_000))).toMatch(/^yaml: /);
  });
});
