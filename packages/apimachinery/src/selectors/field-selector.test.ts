import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../text/parse-error.js';
import { everythingFieldSelector, fieldSelectorOf, parseFieldSelector } from './field-selector.js';
import { escapeFieldValue, unescapeFieldValue } from './field-value-escape.js';

describe('parseFieldSelector', () => {
  it.each([
    ['', ''],
    [',,', ''],
    ['b=2,a==1,c!=3', 'a=1,b=2,c!=3'],
    ['a=', 'a='],
    ['=a', '=a'],
    ['=', ''],
    ['a=1,!=,==', 'a=1'],
    ['a=b\\,c\\=d\\\\', 'a=b\\,c\\=d\\\\'],
  ])('%o reads as %o', (text, canonical) => {
    expect(parseFieldSelector(text).toString()).toBe(canonical);
  });

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['b=1,a', "invalid selector: 'b=1,a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%o fails', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new ParseError(message));
  });

  it('the printed form parses back', () => {
    const field = fc.constantFrom('metadata.name', 'spec.nodeName', 'status.phase');
    const operator = fc.constantFrom('=' as const, '!=' as const);
    const requirement = fc.record({ field, operator, value: fc.string() });
    fc.assert(
      fc.property(fc.array(requirement), fc.dictionary(field, fc.string()), (requirements, fields) => {
        const selector = fieldSelectorOf(requirements);
        const again = parseFieldSelector(selector.toString());
        expect(new Set(again.requirements.map(text))).toEqual(new Set(requirements.map(text)));
        expect(again.matches(fields)).toBe(selector.matches(fields));
      }),
    );
  });

  it('escapes any value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(unescapeFieldValue(escapeFieldValue(value))).toBe(value);
      }),
    );
  });
});

describe('FieldSelector', () => {
  it.each([
    ['a=1', { a: '1' }, true],
    ['a=1', {}, false],
    ['a=', {}, true],
    ['a!=1', {}, true],
    ['toString=', {}, true],
    ['a=1,b!=2', { a: '1', b: '2' }, false],
  ])('%o on %o: %s', (text, fields, matches) => {
    expect(parseFieldSelector(text).matches(fields)).toBe(matches);
  });

  it('rewrites and drops requirements', () => {
    const selector = parseFieldSelector('a=1,b!=2,c=3');
    const rewritten = selector.transform((field, value) =>
      field === 'b' ? { field: '', value: '' } : { field: `spec.${field}`, value: `${value}0` },
    );
    expect([rewritten.toString(), rewritten.requiresExactMatch('spec.a'), selector.requiresExactMatch('b')]).toEqual([
      'spec.a=10,spec.c=30',
      '10',
      undefined,
    ]);
    expect(parseFieldSelector('b=1').transform(() => ({ field: '', value: '' }))).toBe(everythingFieldSelector);
  });
});

function text(requirement: object): string {
  return JSON.stringify(requirement, ['field', 'operator', 'value']);
}

describe('a large selector', () => {
  const field = fc.constantFrom('a', 'b', 'c');
  const value = fc.constantFrom('', '1', '2');
  const filling = Array.from({ length: 33 }, (_, i) => ({ field: 'a', operator: '!=' as const, value: `none${i}` }));

  it('selects as its requirements do, one by one', () => {
    const requirement = fc.record({ field, operator: fc.constantFrom('=' as const, '!=' as const), value });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(field, value), (requirements, fields) => {
        const large = fieldSelectorOf([...filling, ...requirements]);
        expect(large.matches(fields)).toBe(requirements.every((one) => fieldSelectorOf([one]).matches(fields)));
      }),
      { numRuns: 1_000 },
    );
  });
});
