import { compileKind } from '@apiserver/apimachinery/codec';
import type { FieldSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';
import { describe, expect, it } from 'vitest';
import { CertificateSigningRequest } from './generated/certificates/v1.js';
import { ConfigMap } from './generated/core/v1.js';
import { groupVersions } from './index.js';

/** Upstream stores these groups in protobuf; these two are always stored as JSON. */
const isInProtobuf = ({ group }: { readonly group: string }) =>
  !['apiextensions.k8s.io', 'apiregistration.k8s.io'].includes(group);

/** An object with an empty list for every list that JSON always includes. */
function withEmptyLists(schema: Schema, depth = 0): unknown {
  if (depth > 12) return undefined;
  switch (schema.type) {
    case 'struct':
      return structWith(schema, depth);
    case 'list':
      return [withEmptyLists(schema.element, depth + 1)].filter((item) => item !== undefined);
    default:
      return undefined;
  }
}

function structWith(schema: StructSchema, depth: number): object {
  const members = schema.fields.flatMap((field): [string, unknown][] => {
    if (field.inline && field.schema.type === 'struct') return Object.entries(structWith(field.schema, depth));
    if (isRequiredList(field)) return [[field.name, []]];
    // Fills only fields that lead to a list, so that the object stays small. A list of lists has one element.
    const value = leadsToList(field.schema) ? withEmptyLists(field.schema, depth + 1) : undefined;
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(members);
}

function isRequiredList({ schema, omitEmpty, omitZero, pointer, proto }: FieldSchema): boolean {
  return schema.type === 'list' && !omitEmpty && !omitZero && !pointer && proto > 0;
}

function leadsToList(schema: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema.type === 'list') return leadsToList(schema.element, seen);
  return (
    schema.type === 'struct' && schema.fields.some((field) => isRequiredList(field) || leadsToList(field.schema, seen))
  );
}

const loaded = await Promise.all(groupVersions.filter(isInProtobuf).map(({ load }) => load()));
const kinds = loaded
  .flatMap((one) => one.kinds())
  .filter(({ schema, resource }) => schema.protobuf && resource !== undefined && leadsToList(schema));

describe('an object that upstream stores in protobuf', () => {
  it.each(kinds.map((kind) => [`${kind.gvk.group}/${kind.gvk.version} ${kind.gvk.kind}`, kind] as const))(
    'shows null for lists without elements: %s',
    (_, kind) => {
      const codec = compileKind(kind);
      const { group, version, kind: name } = kind.gvk;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const object = codec.normalize({ ...(structWith(kind.schema, 0) as object), apiVersion, kind: name });
      const expected = codec.encodeJson(codec.decodeProtobuf(codec.encodeProtobuf(object)).object);
      const plain = Buffer.from(codec.encodeJson(object)).toString();
      const kept = Buffer.from(codec.encodeJson(object, 'protobuf')).toString();
      expect(plain).toContain(':[]');
      expect(kept).toBe(Buffer.from(expected).toString());
      expect(Buffer.from(codec.encodeJson(codec.reread(object, 'protobuf') ?? {})).toString()).toBe(kept);
    },
  );
});

it('shows no null bytes in a map', () => {
  const codec = compileKind(ConfigMap);
  const { object } = codec.decodeJson(Buffer.from('{"binaryData":{"a":null,"b":"eA=="}}'), 'Strict');
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  expect(text(codec.encodeJson(object))).toContain('"binaryData":{"a":null,"b":"eA=="}');
  const expected = text(codec.encodeJson(codec.decodeProtobuf(codec.encodeProtobuf(object)).object));
  expect(text(codec.encodeJson(object, 'protobuf'))).toBe(expected);
  expect(codec.reread(object, 'protobuf')).toMatchObject({ binaryData: { a: '', b: 'eA==' } });
});

it('shows no null lists in a map', () => {
  const codec = compileKind(CertificateSigningRequest);
  const { object } = codec.decodeJson(Buffer.from('{"spec":{"extra":{"a":null,"b":["c"]}}}'), 'Strict');
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  expect(text(codec.encodeJson(object))).toContain('"extra":{"a":null,"b":["c"]}');
  const read = codec.decodeProtobuf(codec.encodeProtobuf(object)).object;
  expect(read).toMatchObject({ spec: { extra: { a: [], b: ['c'] } } });
  expect(text(codec.encodeJson(object, 'protobuf'))).toBe(text(codec.encodeJson(read)));
  expect(codec.reread(object, 'protobuf')).toMatchObject({ spec: { extra: { a: [], b: ['c'] } } });
});
