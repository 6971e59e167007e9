import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeYaml } from './encode-yaml.js';
import { yamlToJson } from './yaml-to-json.js';

/** Short and long texts of some characters, including long runs of the first one. */
function textsOf(characters: string): string[] {
  const all = [...characters];
  let seed = 1;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const lengths = [0, 1, 2, 3, 5, 9, 30, 79, 90, 130, 254, 255, 256, 257, 300, 700, 3_000];
  return [1, 4, 30].flatMap((rarity) =>
    lengths.map((length) => Array.from({ length }, () => all[next(rarity) === 0 ? next(all.length) : 0]).join('')),
  );
}

/**
 * Upstream's order of keys with digits is not total where they hold other characters too: it depends on the sort
 * algorithm.
 */
const shaped = (texts: readonly string[]) => ({
  list: texts,
  map: Object.fromEntries(texts.map((text, i) => [`k${i}`, text])),
  keys: Object.fromEntries(
    texts.filter((text) => text.length <= 130 && !/\d/.test(text)).map((text) => [text, { v: text }]),
  ),
});

// SHA-256 prefixes of upstream's output for the same values (sigs.k8s.io/yaml 1.6.0 with go.yaml.in/yaml/v2 2.4.3,
// JSONToYAML). Its input was JSON in which characters that YAML does not allow were escaped.
describe('encodeYaml writes as upstream', () => {
  it.each([
    ['a ', '6666119de84d0ed7'],
    [' a', '67bdb7528355e471'],
    ["a '", '087241ac6b65c9d8'],
    ["'", '8b93a730e9d9335e'],
    ['a :#', 'af56acc260eb6c2a'],
    ['a "\\', '8cb0000599538949'],
    ['a\n ', 'bc98d48d74bb79c8'],
    ['\na ', '784e954c33bfca19'],
    ['é яa語', 'b2ef84e4646e4f52'],
    ["é '", 'b50646ab4f7948ea'],
    ['a\t ', '452b89ba3264869e'],
    ['a\r\n', '8cc3e20d8cdbecba'],
    ['語\u0085 a', '472b36696e09be82'],
    ['a\u0001\u007f\u0080\u0085\ufffe\uffff\ufffd\u{1f600}\0\u001b\v \r\n', '72c9c23752159f2f'],
    ['1.', '0f2962bcc2a3358c'],
    ['1_:-eE+xob 0TZ', '7937c839925956b2'],
    ['-?:. a', 'a6c9eae10ad93a56'],
    ['{[]},&*!|>\'"%@`# a', 'd2edf8c8759d51d6'],
  ])('texts of %j', (characters, sum) => {
    const written = encodeYaml(shaped(textsOf(characters)));
    expect(createHash('sha256').update(written).digest('hex').slice(0, 16)).toBe(sum);
  });

  it.each([
    [
      [1e20, 2 ** 63, 2 ** 64, -(2 ** 63), 999_999.5, 1_000_000.5, 0.0001, 0.000_099, -0.5, 5e-324],
      '- 1e+20\n- 9223372036854776000\n- 1.8446744073709552e+19\n- -9.223372036854776e+18\n- 999999.5\n- 1.0000005e+06\n- 0.0001\n- 9.9e-05\n- -0.5\n- 5e-324\n',
    ],
    [['<<', '.5e999', '2026-02-30', '2026-02-28'], '- <<\n- .5e999\n- 2026-02-30\n- "2026-02-28"\n'],
    [['a\u2028\n', '\u2028\n', 'a\n\u2029'], '- |+\n  a\u2028\n- |2+\n\u2028\n- |+\n  a\n\u2029'],
  ])('%j', (value, expected) => {
    expect(Buffer.from(encodeYaml(value)).toString()).toBe(expected);
  });
});

it.each([
  ['the (\u2028) b', "a: 'the (\u2028  ) b'\n"],
  ['x\u2028\u2029y', "a: 'x\u2028\u2029  y'\n"],
  ["'\u2028y", "a: '''\u2028  y'\n"],
  ['x\u2028', "a: 'x\u2028'\n"],
  [
    `${'long words: '.repeat(7)}a\u2028b ${'w '.repeat(50)}w`,
    `a: '${'long words: '.repeat(6)}long words:\n  a\u2028  b ${'w '.repeat(38)}w\n  ${'w '.repeat(11)}w'\n`,
  ],
])('indents what follows a line separator, and reads it back: %j', (a, written) => {
  expect(encodeYaml({ a }).toString()).toBe(written);
  expect(yamlToJson(Buffer.from(written)).value).toEqual({ a });
});

it.each([
  ["a: 'x\u2028\n    !'\n", 'x\u2028\n!'],
  ["a: 'x  \u2028  y'\n", 'x\u2028y'],
  ['a: x\u2028    y\n', 'x\u2028y'],
  ["a: 'it''s\u2029\u2028 y'\n", "it's\u2029\u2028y"],
  ['a: |\n  x\u2028  y\n', 'x\u2028y\n'],
  [`a: '${' '.repeat(100_000)}x\u2028'\n`, `${' '.repeat(100_000)}x\u2028`],
])('reads lines that a line separator ends as Go: %j', (written, a) => {
  expect(yamlToJson(Buffer.from(written)).value).toEqual({ a });
});

describe('a deep object', () => {
  const nested = (value: unknown) =>
    Array.from({ length: 900 }).reduce((inner, _, i) => (i % 2 ? [inner] : { a: inner }), value);

  it.each<[string, unknown]>([
    ['keys', Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i % 2 ? i + 0.5 : null]))],
    ['long keys', { ['"x" '.repeat(400)]: [true, {}, [], 'a\u0001'], y: Array(9_000).fill(1) }],
    ['a text that would be folded', `${'a '.repeat(100_000)}a`],
    ['a text of lines', 'a\n'.repeat(100_000)],
  ])('takes no more than the bound on indents: %s', (_, value) => {
    const written = encodeYaml(nested(value));
    expect(written.length).toBeLessThan(9 * 1024 * 1024);
    expect(yamlToJson(written).value).toEqual(nested(value));
  });
});
