import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../text/parse-error.js';
import { newLabelRequirement } from './label-requirement.js';
import { everythingSelector, nothingSelector } from './label-selector.js';
import { labelSelectorAsSelector, labelSelectorFromSet } from './label-selector-as-selector.js';
import { parseLabelSelector } from './parse-label-selector.js';

const KEY_FAULT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_FAULT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('parseLabelSelector', () => {
  it.each([
    ['', ''],
    ['  ', ''],
    ['x=a,y=b,z=c', 'x=a,y=b,z=c'],
    ['z=c , a == b', 'a==b,z=c'],
    ['x!=a', 'x!=a'],
    ['x in (b,a,b), !y, z notin ()', 'x in (a,b),!y,z notin ()'],
    ['x in (,)', 'x in ()'],
    ['x in (a,,b,)', 'x in (,a,b)'],
    ['x>1,y<2', 'x>1,y<2'],
    ['x=', 'x='],
    ['x=,y', 'x=,y'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['notin=in', 'notin=in'],
    ['a/b', 'a/b'],
    ['!\ta', '!a'],
    ['a\0', 'a'],
  ])('%o reads as %o', (text, canonical) => {
    expect(parseLabelSelector(text).toString()).toBe(canonical);
  });

  it.each([
    [',,', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['app in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a b=c', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['app in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['app in (x,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['app in (!x)', "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['app~x', `unable to parse requirement: <nil>: Invalid value: "app~x": ${KEY_FAULT}`],
    ['a=b~c', `unable to parse requirement: values[0][a]: Invalid value: "b~c": ${VALUE_FAULT}`],
    [
      'tier>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('%o fails', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new ParseError(message));
  });

  it('the printed form parses back', () => {
    const label = fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,5}[A-Za-z0-9])?$/);
    const requirement = fc.oneof(
      fc.tuple(label, fc.constantFrom('=', '==', '!='), label).map(([k, op, v]) => `${k} ${op} ${v}`),
      fc.tuple(label, fc.constantFrom('in', 'notin'), fc.array(label)).map(([k, op, vs]) => `${k} ${op} (${vs})`),
      fc.tuple(label, fc.constantFrom('<', '>'), fc.integer()).map(([k, op, n]) => `${k}${op}${Math.abs(n)}`),
      label,
      label.map((k) => `!${k}`),
    );
    fc.assert(
      fc.property(fc.array(requirement), fc.dictionary(label, label), (requirements, labels) => {
        const selector = parseLabelSelector(requirements.join(','));
        const again = parseLabelSelector(selector.toString());
        expect(again.requirements).toEqual(selector.requirements);
        expect(again.matches(labels)).toBe(selector.matches(labels));
        expect(selector.matches(labels)).toBe(requirements.every((r) => parseLabelSelector(r).matches(labels)));
      }),
    );
  });

  it('only fails with a ParseError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ain(), !=<>\0\t') }), (text) => {
        try {
          parseLabelSelector(text);
        } catch (error) {
          expect(error).toHaveProperty('name', 'ParseError');
        }
      }),
    );
  });
});

describe('LabelSelector', () => {
  it.each([
    ['x=a', { x: 'a' }, true],
    ['x=a', { x: 'b' }, false],
    ['x=a', undefined, false],
    ['x!=a', undefined, true],
    ['x notin (a,b)', { x: 'c' }, true],
    ['x notin (a,b)', { x: 'a' }, false],
    ['!toString', {}, true],
    ['toString', {}, false],
    ['x in (a,b)', { x: 'b' }, true],
    ['x>9223372036854775806', { x: '9223372036854775807' }, true],
    ['x>1', { x: '10' }, true],
    ['x<5', { x: 'a' }, false],
    ['x<5', {}, false],
    ['x=', { x: '' }, true],
    ['a=1,b=2', { a: '1', b: '3' }, false],
  ])('%o on %o: %s', (text, labels, matches) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(matches);
  });

  it('reports an exact match of the first requirement on a key', () => {
    const exact = (text: string) => parseLabelSelector(text).requiresExactMatch('x');
    expect(['x=a', 'x==a', 'x in (a)', 'x in (a,b)', 'x!=a', 'x,x=a', 'y=a', ''].map(exact)).toEqual([
      'a',
      'a',
      'a',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has an everything and a nothing', () => {
    const requirement = newLabelRequirement('a', 'exists', []);
    expect([
      everythingSelector.matches({}),
      everythingSelector.empty,
      nothingSelector.matches({ a: 'b' }),
      nothingSelector.empty,
      nothingSelector.add(requirement).nothing,
      String(everythingSelector.add(requirement)),
    ]).toEqual([true, true, false, false, true, 'a']);
  });
});

describe('labelSelectorAsSelector', () => {
  it('reads selectors of specs', () => {
    const spec = {
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'NotIn', values: ['y', 'x'] },
        { key: 'c', operator: 'Exists' },
        { key: 'd', operator: 'DoesNotExist' },
      ],
    };
    expect(labelSelectorAsSelector(spec).toString()).toBe('a notin (x,y),b=1,c,!d');
    expect([labelSelectorAsSelector(undefined), labelSelectorAsSelector({})]).toEqual([
      nothingSelector,
      everythingSelector,
    ]);
    expect(labelSelectorFromSet({ z: '1', a: '2' }).toString()).toBe('a=2,z=1');
  });

  it.each([
    [{ key: 'a', operator: 'Near' }, '"Near" is not a valid label selector operator'],
    [{ key: 'a', operator: 'In' }, "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"],
    [
      { key: 'a', operator: 'Exists', values: ['x'] },
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
    [{ key: '-', operator: 'Exists' }, `key: Invalid value: "-": ${KEY_FAULT}`],
  ])('refuses %o', (expression, message) => {
    expect(() => labelSelectorAsSelector({ matchExpressions: [expression] })).toThrow(new ParseError(message));
  });
});

describe('a large selector', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const value = fc.constantFrom('1', '2', '3', 'x', '');
  const requirement = fc.oneof(
    fc.tuple(key, fc.constantFrom('in' as const, 'notin' as const), fc.array(value, { minLength: 1, maxLength: 4 })),
    fc.tuple(key, fc.constantFrom('=' as const, '!=' as const), fc.tuple(value)),
    fc.tuple(key, fc.constantFrom('gt' as const, 'lt' as const), fc.tuple(fc.constantFrom('0', '2', '9'))),
    fc.tuple(key, fc.constantFrom('exists' as const, '!' as const), fc.constant([])),
  );
  // Conditions on labels that no object has make a selector large without a change of its result.
  const filling = Array.from({ length: 33 }, (_, i) => newLabelRequirement(`none${i}`, '!', []));

  it('selects as its requirements do, one by one', () => {
    const labels = fc.option(fc.dictionary(key, value), { nil: undefined });
    const wanted = fc.array(requirement, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(wanted, labels, (described, object) => {
        const requirements = described.map(([name, operator, values]) => newLabelRequirement(name, operator, values));
        const large = everythingSelector.add(...filling, ...requirements);
        expect(large.matches(object)).toBe(requirements.every((one) => one.matches(object)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not compare each requirement with each object', () => {
    let compared = 0;
    const selector = everythingSelector.add(...filling);
    for (const one of filling) one.matches = () => compared++ === -1;
    expect([selector.matches({ a: 'b' }), selector.matches(undefined), compared]).toEqual([true, true, 0]);
  });
});
