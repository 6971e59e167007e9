import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../clock/at-once.js';
import { setOwn } from '../../json/set-own.js';
import { escapeHtml } from '../../text/escape-html.js';
import { stringifyJson, writeValue } from './stringify-json.js';
import { stringifyJsonSteps } from './stringify-json-steps.js';

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', '10', '9', '__proto__', 'toJSON', '\u{1f600}', '\ue000', '\ud800', '<'),
  fc.string({ unit: 'binary' }),
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    1.5,
    -0,
    Number.NaN,
    undefined,
    12345678901234567890n,
    '\\ud800',
    '\udc00',
    '&\u2028',
  ),
  fc.string({ unit: 'binary' }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((members) => {
    const object: { [key: string]: unknown } = {};
    for (const [name, member] of members) setOwn(object, name, member);
    return object;
  }),
}));

describe('stringifyJson', () => {
  it('both writers give the same text', () => {
    fc.assert(
      fc.property(value, (any) => {
        const before = writeValue(any);
        expect(stringifyJson(any)).toBe(escapeHtml(before));
        expect(writeValue(any)).toBe(before);
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 2_000 },
    );
  });

  it.each<[unknown, string]>([
    [{ b: 1, a: { d: [{ f: 1, e: 2 }], c: undefined } }, '{"a":{"d":[{"e":2,"f":1}]},"b":1}'],
    [{ 9: 'x', 10: 'y' }, '{"10":"y","9":"x"}'],
    [{ '\u{1f600}': 1, '\ue000': 2 }, '{"\ue000":2,"\u{1f600}":1}'],
    [{ n: 9007199254740993n }, '{"n":9007199254740993}'],
    [{ '\ud800': '\udfff' }, '{"\ufffd":"\ufffd"}'],
    [{ html: '<a>&\u2028' }, '{"html":"\\u003ca\\u003e\\u0026\\u2028"}'],
  ])('%o', (any, text) => {
    expect(stringifyJson(any)).toBe(text);
  });
});

describe('stringifyJsonSteps', () => {
  it('gives the same text', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(atOnce(stringifyJsonSteps(any))).toBe(stringifyJson(any));
      }),
    );
  });

  it('writes many values in many steps', () => {
    const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, `<${i}>`]));
    const many = { keys, items: Object.keys(keys), maps: Object.values(keys).map((a) => ({ b: 1, a })) };
    const steps = stringifyJsonSteps(many);
    let count = 0;
    let result = steps.next();
    for (; result.done !== true; count++) result = steps.next();
    expect(result.value).toBe(stringifyJson(many));
    expect(count).toBeGreaterThan(50);
  });
});
