import { expect, it } from 'vitest';
import { jsonExcerpt } from './json-excerpt.js';

const PATHS = [['spec', 'color'], ['spec', 'size', 'width'], ['kind']];

it.each<readonly [string, object, object | undefined]>([
  [
    'values of all types',
    { kind: 'K', spec: { color: 'r\u00e9d"', other: { color: 'blue' }, size: { width: 3, height: 4 } } },
    { kind: 'K', spec: { color: 'r\u00e9d"', size: { width: 3 } } },
  ],
  ['absent values', { spec: { size: {} }, metadata: { kind: 'x' } }, {}],
  ['null and booleans', { kind: null, spec: { color: false } }, { kind: null, spec: { color: false } }],
  ['another value on the way', { kind: 'K', spec: [{ color: 'red' }] }, { kind: 'K' }],
  ['a text on the way', { spec: { size: 'width' } }, {}],
  ['a list at the end of a path', { spec: { color: ['red'] } }, undefined],
  ['an object at the end of a path', { spec: { color: { a: 1 } } }, undefined],
])('reads %s', (_, object, expected) => {
  expect(jsonExcerpt(Buffer.from(JSON.stringify(object)), PATHS)).toEqual(expected);
});
