import { expect, test } from 'vitest';
import { evaluateText } from '../../testing/evaluate-text.js';

test.each([
  ['"añb😀c".charAt(3)', '😀', 1],
  ['"añb😀c".charAt(5)', '', 1],
  ['"añb😀c".charAt(6)', 'error: index out of range: 6', 1],
  ['"añb😀c".charAt(-1)', 'error: index out of range: -1', 1],
  ['"a😀b😀c".indexOf("😀", 2)', '3', 1],
  ['"a😀b😀c".lastIndexOf("😀", 2)', '1', 1],
  ['"abc".indexOf("", 9223372036854775807)', '9223372036854775807', 0],
  ['"abc".indexOf("c", 9223372036854775807)', '-1', 0],
  ['"abc".indexOf("c", -1)', 'error: index out of range: -1', 0],
  ['"".lastIndexOf("a")', '-1', 0],
  ['"aaa".lastIndexOf("a", 1)', '1', 0],
  ['"a😀b".substring(1, 2)', '😀', 1],
  ['"abc".substring(2, 1)', 'error: invalid substring range. start: 2, end: 1', 1],
  ['"abc".substring(1, 9)', 'error: index out of range: 9', 1],
  ['"abc".replace("", "-", 2)', '-a-bc', 1],
  ['"abc".replace("", "-")', '-a-b-c-', 1],
  ['"a😀".replace("", "-", 5)', '-a-😀-', 1],
  ['"aXbXc".replace("X", "$&$$")', 'a$&$$b$&$$c', 1],
  ['"".replace("", "x")', 'x', 0],
  ['"aXbXc".replace("X", "y", 1)', 'aybXc', 1],
  ['"a😀c".split("")', '[a, 😀, c]', 1],
  ['"a,b,c".split(",", 2)', '[a, b,c]', 1],
  ['"a,b,c".split(",", 0)', '[]', 1],
  ['"\\u0085\\u00a0 a\\ufeff\\t".trim() == "a\\ufeff"', 'true', 2],
  ['"AÄz".lowerAscii() + "aäZ".upperAscii()', 'aÄzAäZ', 3],
  ['strings.quote("a\\"\\u0007é\\u0001") == "\\"a\\\\\\"\\\\aé\\u0001\\""', 'true', 2],
  ['["a", "b"].join("-") + ["a"].join()', 'a-ba', 3],
  ['[dyn("a"), dyn(duration("90m1.5s"))].join()', 'error: join: invalid input: 1h30m1.5s', 1],
  [
    '[dyn("a"), dyn({"x": [dyn(1.5), dyn(null), dyn(b"z")]})].join()',
    'error: join: invalid input: {x: [1.5, 0, [122]]}',
    1,
  ],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});

test.each([
  [
    '"%s %d %f %e %x %X %o %b%%".format(["a", 1, 1234567.5, 0.00000015, -255, b"\\xffa", 8u, true])',
    'a 1 1,234,567.500000 1.500000×10⁻⁰⁷ -ff FF61 10 1%',
    3,
  ],
  ['"%.0f %.0f %.1f %.2f".format([0.5, 1.5, 0.35, -0.0])', '0 2 0.3 0.00', 2],
  ['"%.20f|%.3e|%.12e".format([0.1, -2.5, 1e300])', '0.10000000000000000555|-2.500000×10⁰⁰|1.000000×10³⁰⁰', 2],
  ['"%f %f %e".format(["NaN", "-Infinity", "Infinity"])', 'NaN -∞      ∞', 1],
  [
    '"%s".format([[1.0 / 0.0, 0.5, "q\\"", b"é", null, timestamp("2020-01-01T00:00:00.5Z"), duration("1h"), int]])',
    '["+Inf", 0.500000, "q\\"", b"é", null, timestamp("2020-01-01T00:00:00.5Z"), duration("3600s"), int]',
    22,
  ],
  ['"%s".format([{"b": 1, "a": {2u: true}}])', '{"a":{2:true}, "b":1}', 1],
  [
    '"%s".format([dyn(ip("::1"))])',
    'error: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
    13,
  ],
  ['"%s".format([[dyn(ip("::1"))]])', 'error: error during formatting: no formatting function for net.IP', 23],
  [
    '"%d".format([dyn("x")])',
    'error: error during formatting: decimal clause can only be used on integers, was given string',
    1,
  ],
  // Upstream keeps 8 bits of a precision as the fewest decimals, and 16 as the most.
  ['"%.258f".format([0.375])', '0.375', 1],
  ['"%.258f".format([1.5])', '1.50', 1],
  ['"%.32770f".format([-0.1])', '-0.10', 1],
  ['"%.32768f".format([1e21])', '1,000,000,000,000,000,000,000', 1],
  ['"%.32768f".format([2.5e-7])', '0.00000025', 1],
  ['"%.65541f".format([1.0])', '1.00000', 1],
  ['"%.65541e".format([1.0])', '1.000000×10⁰⁰', 1],
  ['("%" + "z").format([1])', 'error: could not parse formatting clause: unrecognized formatting clause "z"', 2],
  ['("%" + "d%d").format([1])', 'error: index 1 out of range', 2],
  [
    '"%s".format([b"\\xff"])',
    'error: error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    1,
  ],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});

test.each([
  ['"%.1000001f".format([1.5])', `1.5${'0'.repeat(64)}`],
  ['"%.10000009f".format([1.5])', `1.5${'0'.repeat(136)}`],
  ['"a%.10000010fb%s".format([1.5, "c"])', 'a%!(NOVERB)bc'],
  ['"%.2147483648e|".format([1.5])', '%!(NOVERB)|'],
])('find no verb behind a precision that is no number to upstream: %s', (expression, result) => {
  expect(evaluateText(expression)[0]).toBe(result);
});

test('bound what a call makes out of little', () => {
  const long = 'a'.repeat(100_000);
  expect([
    evaluateText('"%.10001e".format([1.0])')[0],
    evaluateText('a.replace("", a)', { a: long })[0],
    evaluateText('[a, a].join(a.replace("a", "0123456789" + a))', { a: long.slice(0, 1000) })[0].length,
    evaluateText('lists.range(9223372036854775807).size()')[0],
  ]).toEqual([
    'error: error during formatting: precision 10001 is larger than 10000',
    'error: replace: a result of 10000200000 characters is too long',
    1_012_000,
    'error: operation cancelled: actual cost limit exceeded',
  ]);
});
