import { expect, it } from 'vitest';
import { applyStructuralDefaults } from './structural-defaults.js';
import type { StructuralNode } from './structural-node.js';

const node = (changes: Partial<StructuralNode>): StructuralNode => ({
  fields: new Map(),
  rest: undefined,
  items: undefined,
  preserveUnknownFields: false,
  embeddedResource: false,
  nullable: false,
  default: undefined,
  listType: undefined,
  listMapKeys: [],
  ...changes,
});

/** A list of objects whose field `a` has a default. */
const listOf = (value: unknown) => node({ items: node({ fields: new Map([['a', node({ default: value })]]) }) });
const empties = (count: number) => Array.from({ length: count }, (): { a?: unknown } => ({}));

it.each<[string, unknown, number]>([
  ['numbers', 1, 98_304],
  ['texts', 'x'.repeat(1_008), 1_536],
  ['objects', { k: 'x'.repeat(991) }, 1_536],
  ['lists', ['x'.repeat(992)], 1_536],
])('defaults that are %s have room in a stored object, or are refused', (_, value, most) => {
  const list = empties(most);
  applyStructuralDefaults(list, listOf(value));
  expect(list.every(({ a }) => JSON.stringify(a) === JSON.stringify(value))).toBe(true);
  const longer = empties(most + 1);
  expect(() => applyStructuralDefaults(longer, listOf(value))).toThrow(
    'the defaults of the object take more than 1.5 MiB',
  );
});
