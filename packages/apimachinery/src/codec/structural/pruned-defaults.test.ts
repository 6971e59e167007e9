import { expect, it } from 'vitest';
import { list, map, OMIT_EMPTY, type Schema, STRING, type StructSchema, struct } from '../../schema/index.js';
import { customStructure } from './custom-structure.js';
import { withPrunedDefaults } from './pruned-defaults.js';
import { applyStructuralDefaults } from './structural-defaults.js';
import { structuralRoot } from './structural-node.js';

const metadata = struct('ObjectMeta', 'ObjectMeta', () => [['name', 0, STRING, OMIT_EMPTY]]);

function kind(field: Schema): StructSchema {
  return struct('Kind', 'Kind', () => [
    ['metadata', 0, metadata],
    ['field', 0, field],
  ]);
}

/** An object that may be a resource, with a default. */
function object(fields: Readonly<Record<string, Schema>>, more: Partial<StructSchema>): StructSchema {
  const { fields: tuples } = struct('', '', () => Object.entries(fields).map(([name, schema]) => [name, 0, schema]));
  return { type: 'struct', name: '', goName: '', fields: tuples, protobuf: false, ...more };
}

const BAR = { name: 'Bar', unknown: 'unknown' };
const resource = { embeddedResource: true } as const;
const nameIn = (schema: Schema) => object({}, { ...resource, declaredMetadata: object({ unknown: schema }, {}) });

it.each<[string, Schema, unknown, unknown]>([
  [
    'a resource',
    object({}, { ...resource, default: { kind: 'Foo', metadata: BAR, other: 1 } }),
    {},
    { kind: 'Foo', metadata: { name: 'Bar' } },
  ],
  [
    'a resource that keeps unknown fields',
    object({}, { ...resource, preserveUnknownFields: true, default: { metadata: BAR, other: 1 } }),
    {},
    { metadata: { name: 'Bar' }, other: 1 },
  ],
  ['a member of metadata', nameIn({ ...STRING, default: 'unknown' }), { field: { metadata: {} } }, { metadata: {} }],
  [
    'elements of a list',
    { ...list(object({}, resource)), default: [{ metadata: BAR }] },
    {},
    [{ metadata: { name: 'Bar' } }],
  ],
  [
    'a map',
    { ...map(object({}, resource)), default: { a: { metadata: BAR } } },
    {},
    { a: { metadata: { name: 'Bar' } } },
  ],
  [
    'malformed metadata',
    object({}, { ...resource, default: { kind: 1, metadata: { name: 1 } } }),
    {},
    { metadata: {} },
  ],
  ['a field that is known', object({ a: STRING }, { default: { a: 'b' } }), {}, { a: 'b' }],
])('prunes the default of %s', (_, field, given, expected) => {
  const value = { ...(given as object) };
  applyStructuralDefaults(value, customStructure(kind(field)));
  expect(value).toEqual({ field: expected });
});

it('copies no node whose defaults stay', () => {
  const root = structuralRoot(kind(object({ a: { ...STRING, default: 'b' } }, { default: { a: 'c' } })));
  expect(withPrunedDefaults(root, metadata)).toBe(root);
});
