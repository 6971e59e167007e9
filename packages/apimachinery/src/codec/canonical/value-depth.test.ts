import { expect, it } from 'vitest';
import { checkDepth, MAX_DEPTH_AT_REST, MAX_VALUE_DEPTH, refuseDeep } from './value-depth.js';

/** Members within members, or lists within lists. */
const nested = (levels: number, name?: string): unknown =>
  Array.from({ length: levels }).reduce((inner: unknown) => (name === undefined ? [inner] : { [name]: inner }), 1);

const object = (spec: unknown, managedFields?: unknown) => ({ metadata: { managedFields }, spec });

it.each<[string, (levels: number) => unknown, number]>([
  ['objects', (levels) => nested(levels, 'a'), MAX_VALUE_DEPTH],
  ['lists', (levels) => nested(levels), MAX_VALUE_DEPTH],
  ['a field of an object', (levels) => object(nested(levels - 1, 'a')), MAX_VALUE_DEPTH],
  ['managed fields', (levels) => object(1, nested(levels - 2, 'f:a')), MAX_DEPTH_AT_REST],
])('limits the depth of %s', (_what, make, max) => {
  for (const check of [checkDepth, refuseDeep]) {
    expect(() => check(make(max))).not.toThrow();
    expect(() => check(make(max + 1))).toThrow('exceeded max depth');
  }
});
