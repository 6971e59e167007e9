import { compileKind } from '@apiserver/apimachinery/codec';
import { type Schema, STRING, type StructSchema, struct } from '@apiserver/apimachinery/schema';
import { expect, it } from 'vitest';
import { type Widget, widget } from '../testing/widget.js';
import { widgetKind } from '../testing/widget-kind.js';
import { structuralStorage } from './structural-storage.js';

const METADATA = struct('test.ObjectMeta', 'v1.ObjectMeta', () => [['name', 0, STRING]]);
const { atRest, writes } = structuralStorage;
const own = { group: 'own.example.com', kind: 'Own' };

it('names an object in errors by what it states, or else by its resource', () => {
  const stated = (apiVersion: string) => writes.kindInErrors({ apiVersion, kind: 'Widget', metadata: {} }, own);
  expect([stated('example.com/v1'), stated('v1'), stated('a/b/c')]).toEqual([
    { group: 'example.com', kind: 'Widget' },
    { group: '', kind: 'Widget' },
    own,
  ]);
});

it('requires an apiVersion', () => {
  const check = (apiVersion: string) => writes.requireVersion({ apiVersion, kind: 'Widget', metadata: {} });
  expect(check('example.com/v1')).toBeUndefined();
  expect(() => check('')).toThrow(
    expect.objectContaining({
      status: expect.objectContaining({
        code: 500,
        message: "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
      }),
    }),
  );
});

it('cannot convert an object of an unknown version', () => {
  expect(atRest.unknownVersion('example.com/v9')).toMatchObject({
    status: { code: 500, message: 'request to convert CR from an invalid group/version: example.com/v9' },
  });
});

it('cuts a converted object to the fields of its schema', () => {
  const codec = compileKind({
    ...widgetKind,
    semantics: 'structural',
    schema: object({ apiVersion: STRING, kind: STRING, metadata: METADATA, spec: object({ color: STRING }) }),
  });
  const converted = widget({ name: 'a' }, { spec: { color: 'red', unknown: 1 } as Widget['spec'] & object });
  expect(atRest.cutToHub(codec, converted)).toEqual(widget({ name: 'a' }, { spec: { color: 'red' } }));
});

/** A node of a custom resource's schema. */
function object(members: Readonly<Record<string, Schema>>): StructSchema {
  const flags = { inline: false, pointer: false, omitEmpty: false, omitZero: false, optional: true, proto: 0 };
  const fields = Object.entries(members).map(([name, schema]) => ({ name, schema, ...flags }));
  return { type: 'struct', name: '', goName: 'object', fields, protobuf: false };
}

it.each([
  ['name', true],
  ['resourceVersio', true],
  ['resourceVersion', false],
  ['resourceVersions', false],
  ['uid', false],
])('sorts the members of metadata: %s comes before the version: %s', (name, isBefore) => {
  expect(atRest.comesBeforeVersion({ name, isNamed: (other) => other === name })).toBe(isBefore);
});
