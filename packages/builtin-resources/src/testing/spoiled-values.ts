import type { FieldSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';

const DEEPEST = 6;
const MAX_INT32 = 2 ** 31 - 1;
const NO_NAME = 'Not Valid!';

/** The fields of a structure, with those of inline structures in their place. */
export function fieldsOf({ fields }: StructSchema): readonly FieldSchema[] {
  return fields.flatMap((field) => (field.inline ? fieldsOf(field.schema as StructSchema) : [field]));
}

/**
 * A value in many modified forms, each with one change: removed or added fields, invalid strings, negative numbers,
 * empty lists or duplicates. Not every form is invalid. All match the schema's types.
 */
export function* spoiledValues(schema: Schema, value: unknown, depth = 0): Generator<unknown, void> {
  if (depth > DEEPEST) return;
  if (schema.type === 'struct') yield* spoiledStructs(schema, value, depth);
  else if (schema.type === 'list') {
    const items = Array.isArray(value) ? value : [];
    if (items.length > 0) yield [];
    const item = items[0] ?? sampleValue(schema.element, depth + 1);
    if (item !== undefined) yield [...items, item, item];
    for (const spoiled of spoiledValues(schema.element, items[0], depth + 1)) yield [spoiled, ...items.slice(1)];
  } else if (schema.type === 'map') {
    for (const key of [NO_NAME, '']) yield { [key]: sampleValue(schema.element, depth + 1) };
    for (const [key, member] of Object.entries(value ?? { cpu: undefined })) {
      for (const spoiled of spoiledValues(schema.element, member, depth + 1)) {
        yield { ...(value as object), [key]: spoiled };
      }
    }
  } else yield* spoiledScalars(schema, value);
}

function* spoiledStructs(schema: StructSchema, value: unknown, depth: number): Generator<unknown, void> {
  const members = (value ?? {}) as Readonly<Record<string, unknown>>;
  for (const { name, schema: inner } of fieldsOf(schema)) {
    const { [name]: present, ...others } = members;
    if (present !== undefined) yield others;
    for (const spoiled of spoiledValues(inner, present, depth + 1)) yield { ...members, [name]: spoiled };
  }
}

function* spoiledScalars(schema: Schema, value: unknown): Generator<unknown, void> {
  switch (schema.type) {
    case 'string':
      yield NO_NAME;
      yield '';
      return;
    case 'int32':
    case 'int64':
    case 'float64':
      yield -1;
      yield 0;
      yield MAX_INT32;
      return;
    case 'bool':
      yield value !== true;
      return;
    case 'intOrString':
      yield -1;
      return;
    case 'quantity':
      yield '-1';
      return;
    default:
  }
}

/** A sample value of a schema. */
export function sampleValue(schema: Schema, depth = 0): unknown {
  if (depth > DEEPEST) return undefined;
  switch (schema.type) {
    case 'struct': {
      const members = fieldsOf(schema).map((field) => [field.name, sampleValue(field.schema, depth + 1)]);
      return Object.fromEntries(members.filter(([, member]) => member !== undefined));
    }
    case 'list': {
      const item = sampleValue(schema.element, depth + 1);
      return item === undefined ? undefined : [item];
    }
    case 'map': {
      const member = sampleValue(schema.element, depth + 1);
      return member === undefined ? undefined : { key: member };
    }
    case 'string':
      return 'some';
    case 'bool':
      return true;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intOrString':
      return 1;
    case 'quantity':
      return '1';
    case 'time':
      return '2030-01-01T00:00:00Z';
    case 'bytes':
      return 'eA==';
    default:
      return undefined;
  }
}
