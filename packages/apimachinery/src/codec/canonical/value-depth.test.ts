import { expect, it } from 'vitest';
import { ANY, FIELDS_V1, INT64, list, map, struct } from '../../schema/builders.js';
import type { StructSchema } from '../../schema/schema.js';
import { roundRefusingDeep } from '../structural/round-integers.js';
import { refuseDeepRaw } from './raw-depth.js';
import { checkDepth, MAX_DEPTH_AT_REST, MAX_VALUE_DEPTH } from './value-depth.js';

/** Members within members, or lists within lists. */
const nested = (levels: number, name?: string): unknown =>
  Array.from({ length: levels }).reduce((inner: unknown) => (name === undefined ? [inner] : { [name]: inner }), 1);

const object = (spec: unknown, managedFields?: unknown) => ({ metadata: { managedFields }, spec });

const METADATA = struct('', 'v1.Metadata', () => [['managedFields', 1, FIELDS_V1]]);
const NODE: StructSchema = struct('', 'v1.Node', () => [['a', 1, NODE]]);
const OBJECT = struct('', 'v1.Object', () => [
  ['metadata', 1, METADATA],
  ['spec', 2, ANY],
  ['lists', 3, list(map(ANY))],
  ['node', 4, NODE],
]);

it.each<[string, (levels: number) => unknown, number]>([
  ['objects', (levels) => nested(levels, 'a'), MAX_VALUE_DEPTH],
  ['lists', (levels) => nested(levels), MAX_VALUE_DEPTH],
  ['a field of an object', (levels) => object(nested(levels - 1, 'a')), MAX_VALUE_DEPTH],
  ['managed fields', (levels) => object(1, nested(levels - 2, 'f:a')), MAX_DEPTH_AT_REST],
])('limits the depth of %s', (_what, make, max) => {
  for (const check of [checkDepth, roundRefusingDeep]) {
    expect(() => check(make(max))).not.toThrow();
    expect(() => check(make(max + 1))).toThrow('exceeded max depth');
  }
});

it.each<[string, (levels: number) => unknown, number]>([
  ['a raw value', (levels) => object(nested(levels - 1, 'a')), MAX_VALUE_DEPTH],
  ['raw values in maps in a list', (levels) => ({ lists: [{}, { a: nested(levels - 3) }] }), MAX_VALUE_DEPTH],
  ['a struct within itself', (levels) => ({ node: nested(levels - 1, 'a') }), MAX_VALUE_DEPTH],
  ['managed fields', (levels) => object(1, nested(levels - 2, 'f:a')), MAX_DEPTH_AT_REST],
])('limits the depth of %s in a typed object', (_what, make, max) => {
  expect(() => refuseDeepRaw(OBJECT, make(max))).not.toThrow();
  expect(() => refuseDeepRaw(OBJECT, make(max + 1))).toThrow('exceeded max depth');
});

it('does not look at typed values', () => {
  const unread = new Proxy({}, { get: () => expect.unreachable('read'), ownKeys: () => expect.unreachable('read') });
  const schema = struct('', 'v1.Typed', () => [['values', 1, map(INT64)]]);
  expect(() => refuseDeepRaw(schema, unread)).not.toThrow();
});

it('rounds integers behind levels that only managed fields may have', () => {
  const value = roundRefusingDeep({ ...object(2n ** 64n, nested(MAX_DEPTH_AT_REST - 2, 'f:a')), last: [2n ** 64n] });
  expect(value).toMatchObject({ spec: 2 ** 64, last: [2 ** 64] });
});
