import type { FieldSchema, StructSchema } from './schema.js';

/** The fields of a struct as JSON shows them: those of inline structs replace the inline field. */
export function flatFields(struct: StructSchema): readonly FieldSchema[] {
  return struct.fields.flatMap((field) =>
    field.inline && field.schema.type === 'struct' ? flatFields(field.schema) : [field],
  );
}

const embeddings = new WeakMap<StructSchema, ReadonlyMap<string, string>>();

/**
 * The prefix with the inline structs of a field in decode errors: `VolumeSource.`, from the outermost. It only has
 * fields of inline structs.
 */
export function embeddingOf(struct: StructSchema): ReadonlyMap<string, string> {
  let embedding = embeddings.get(struct);
  if (embedding === undefined) {
    embedding = new Map(struct.fields.flatMap(embedded));
    embeddings.set(struct, embedding);
  }
  return embedding;
}

function embedded({ inline, schema }: FieldSchema): readonly (readonly [string, string])[] {
  if (!inline || schema.type !== 'struct') return [];
  const own = `${bareGoName(schema)}.`;
  const inner = embeddingOf(schema);
  return flatFields(schema).map(({ name }) => [name, own + (inner.get(name) ?? '')]);
}

/** The name of a struct without its package. */
export function bareGoName({ goName }: StructSchema): string {
  return goName.slice(goName.lastIndexOf('.') + 1);
}

const fieldMaps = new WeakMap<StructSchema, ReadonlyMap<string, FieldSchema>>();

/** The same by name; computed once for each struct. */
export function fieldsByName(struct: StructSchema): ReadonlyMap<string, FieldSchema> {
  let fields = fieldMaps.get(struct);
  if (fields === undefined) {
    fields = new Map(flatFields(struct).map((field) => [field.name, field]));
    fieldMaps.set(struct, fields);
  }
  return fields;
}
