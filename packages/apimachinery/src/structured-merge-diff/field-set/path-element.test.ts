import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  keyElement,
  PathElementError,
  parsePathElement,
  printFieldPath,
  sortPathElements,
  sortPathElementsInSteps,
  valueElement,
} from './path-element.js';

describe('parsePathElement', () => {
  it.each([
    ['f:name', 'f:name'],
    ['f:', 'f:'],
    ['f:a.b/c', 'f:a.b/c'],
    ['v:"a"', 'v:"a"'],
    ['v: 1', 'v:1'],
    ['v:9007199254740993', 'v:9007199254740993'],
    ['v:"a<b"', String.raw`v:"a\u003cb"`],
    [String.raw`v:"a\u003cb"`, String.raw`v:"a\u003cb"`],
    [String.raw`v:"\b\f\n\\b"`, String.raw`v:"\u0008\u000c\n\\b"`],
    [String.raw`k:{"a":"\f"}`, String.raw`k:{"a":"\u000c"}`],
    ['k:{"protocol":"TCP", "containerPort":80}', 'k:{"containerPort":80,"protocol":"TCP"}'],
    ['i:007', 'i:7'],
    ['i:-1', 'i:-1'],
    ['x:what', undefined],
  ])('%s is %s', (text, element) => {
    expect(parsePathElement(text)).toBe(element);
  });

  it.each([
    ['f', 'key must be 2 characters long:'],
    ['name', 'missing colon: name'],
    ['i:a', 'strconv.Atoi: parsing "a": invalid syntax'],
    ['i:9223372036854775808', 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
    ['k:1', 'a key must be an object'],
  ])('%s is refused', (text, message) => {
    expect(() => parsePathElement(text)).toThrow(new PathElementError(message));
  });
});

it('sorts fields, keys, values and indexes, each by content', () => {
  const sorted = [
    'f:a',
    'f:b',
    'f:\uFFFD',
    'f:\u{1F600}',
    keyElement(['a'], [null]),
    keyElement(['name'], ['x']),
    keyElement(['port'], [80]),
    keyElement(['port'], [443]),
    keyElement(['port'], ['80']),
    keyElement(['port', 'protocol'], [80, 'TCP']),
    valueElement(2),
    valueElement(10.5),
    valueElement('a'),
    valueElement(false),
    valueElement(true),
    valueElement(null),
    'i:2',
    'i:10',
  ];
  // A key with further names follows its prefix.
  sorted.splice(
    sorted.indexOf('k:{"port":443}'),
    0,
    ...sorted.splice(sorted.indexOf('k:{"port":80,"protocol":"TCP"}'), 1),
  );
  expect(sortPathElements(sorted.toReversed())).toEqual(sorted);
});

it('prints paths for messages', () => {
  const path = [
    'f:spec',
    keyElement(['name', 'port'], ['a"b', 80]),
    'f:x',
    valueElement('s'),
    valueElement(true),
    'i:3',
  ];
  expect(printFieldPath(path)).toBe(String.raw`.spec[name="a\"b",port=80].x[="s"][=true][3]`);
  expect(printFieldPath([valueElement([1, { b: 'x', a: null }])])).toBe('[=[1,a=nullb="x"]]');
  expect(printFieldPath([valueElement(1e-7), keyElement(['a', 'b'], [1e20, 1234567.5])])).toBe(
    '[=1e-07][a=1e+20,b=1.2345675e+06]',
  );
});

it('sorts very many texts like few', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '0', ' ', '!', '#', '/', '-', '~'), maxLength: 4 });
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 80, maxLength: 120 }), (texts) => {
      const elements = texts.map(valueElement);
      // A single element that is not plain text disables the fast path.
      const [last, ...rest] = sortPathElements([...elements, 'i:0']).toReversed();
      expect([last, sortPathElements([...elements])]).toEqual(['i:0', rest.toReversed()]);
    }),
  );
});

it('writes small numbers with two digits of exponent, as json-iterator does', () => {
  expect([valueElement(1e-7), valueElement(1.5e-10), keyElement(['a'], [[2e-9, 'xe-1']])]).toEqual([
    'v:1e-07',
    'v:1.5e-10',
    'k:{"a":[2e-09,"xe-1"]}',
  ]);
  expect(parsePathElement('v:1e-7')).toBe('v:1e-07');
});

it.each([
  [['1e-7'], 'v:["1e-7"]'],
  [[String.raw`\"1e-7`, 1e-7, '2e-7'], String.raw`v:["\\\"1e-7",1e-07,"2e-7"]`],
  [{ '1e-7': 2e-7 }, 'v:{"1e-7":2e-07}'],
])('leaves the text of %j as it is', (value, element) => {
  expect([valueElement(value), parsePathElement(element)]).toEqual([element, element]);
});

it.each([4_096, 4_097, 20_000])('sorts %i elements in steps like at once', (count) => {
  const of = (i: number) =>
    [`i:${i}`, `v:${i % 7}.${i}`, `k:{"a":${i % 5},"b":"${i}"}`, `v:"${i}"`, `f:${i}`][i % 5] ?? '';
  const elements = Array.from({ length: count }, (_, i) => of(count - i));
  let steps = 0;
  const sorting = sortPathElementsInSteps([...elements]);
  let step = sorting.next();
  for (; step.done !== true; step = sorting.next()) steps++;
  expect([step.value, steps >= count / 4_096 - 1]).toEqual([sortPathElements(elements), true]);
});
