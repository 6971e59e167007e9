import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import type { Schema, StructSchema } from '@apiserver/apimachinery/schema';
import { fieldsOf } from '../spoiled-values.js';
import { decoded, type ServedKind } from './served-kinds.js';

type Members = Readonly<Record<string, unknown>>;

/** Nothing is deeper in the API, recursive types (JSONSchemaProps) aside. */
const DEEPEST = 16;

/** Fields (`Probe.timeoutSeconds`) that an object has after it was defaulted and did not have before. */
export function defaultedFields(schema: StructSchema, before: object, after: object): ReadonlySet<string> {
  return new Set(addedIn(schema, before, after));
}

function* addedIn(schema: Schema, before: unknown, after: unknown): Generator<string, void> {
  if (schema.type === 'struct') yield* addedToStruct(schema, before, after);
  else if (schema.type === 'list' || schema.type === 'map') {
    for (const [key, member] of Object.entries(membersOf(after))) {
      yield* addedIn(schema.element, membersOf(before)[key], member);
    }
  }
}

/** An empty structure or null that is shown is no default. */
function* addedToStruct(schema: StructSchema, before: unknown, after: unknown): Generator<string, void> {
  const type = schema.name.slice(schema.name.lastIndexOf('.') + 1);
  for (const { name, schema: inner } of fieldsOf(schema)) {
    const [present, value] = [membersOf(before)[name], membersOf(after)[name]];
    if (value === undefined || value === null) continue;
    const isNew = present === undefined || present === null || present === '';
    if (isNew && value !== '' && (inner.type !== 'struct' || Object.keys(value).length === 0)) yield `${type}.${name}`;
    yield* addedIn(inner, present, value);
  }
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

/** The fields that the kind's own defaults fill in an object with every structure and none of their other fields. */
export function ownDefaultedFields(served: ServedKind): ReadonlySet<string> {
  const { schema, gvk } = served.version.schema;
  const sent: KubeObject = {
    ...(hollow(schema, 0) as Members),
    apiVersion: formatGroupVersion(gvk),
    kind: gvk.kind,
    metadata: { name: 'a' },
  };
  const { object } = served.codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Ignore');
  return defaultedFields(schema, jsonOf(served, object), jsonOf(served, decoded(served, sent)));
}

function jsonOf({ codec }: ServedKind, object: KubeObject): object {
  return JSON.parse(Buffer.from(codec.encodeJson(object)).toString('utf8'));
}

/** Every structure, list and map below a schema, with one item each and without scalars. */
function hollow(schema: Schema, depth: number): unknown {
  if (depth > DEEPEST) return undefined;
  switch (schema.type) {
    case 'struct': {
      const members = fieldsOf(schema).map(({ name, schema: inner }) => [name, hollow(inner, depth + 1)] as const);
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    case 'list': {
      const item = hollow(schema.element, depth + 1);
      return item === undefined ? undefined : [item];
    }
    case 'map': {
      const member = hollow(schema.element, depth + 1);
      return member === undefined ? undefined : { k: member };
    }
    default:
      return undefined;
  }
}
