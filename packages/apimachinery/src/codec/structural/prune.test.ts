import { expect, it } from 'vitest';
import { MAX_ERRORS } from '../../field/capped-errors.js';
import { prune } from './prune.js';
import type { StructuralNode } from './structural-node.js';

const closed: StructuralNode = {
  fields: new Map(),
  rest: undefined,
  items: undefined,
  preserveUnknownFields: false,
  embeddedResource: false,
  nullable: false,
  default: undefined,
  listType: undefined,
  listMapKeys: [],
};
const mapOfClosed: StructuralNode = { ...closed, rest: closed };
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]));

it.each<[string, string, number, number]>([
  ['a few', 'a', 3, 3],
  ['many', 'a', 5_000, MAX_ERRORS],
  ['a few of long names', 'a'.repeat(1_000_000), 50, 1],
])('takes out %s fields and names as many as responses list', (_, key, count, named) => {
  const object = { [key]: fields(count) };
  expect([prune(object, mapOfClosed).length, object]).toEqual([named, { [key]: {} }]);
});
