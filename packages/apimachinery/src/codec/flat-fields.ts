import type { FieldSchema, StructSchema } from '../schema/schema.js';

/** The fields of a struct as JSON shows them: those of inline structs stand in the place of the inline field. */
export function flatFields(struct: StructSchema): readonly FieldSchema[] {
  return struct.fields.flatMap((field) =>
    field.inline && field.schema.type === 'struct' ? flatFields(field.schema) : [field],
  );
}

const fieldMaps = new WeakMap<StructSchema, ReadonlyMap<string, FieldSchema>>();

/** The same by name; worked out once for each struct. */
export function fieldsByName(struct: StructSchema): ReadonlyMap<string, FieldSchema> {
  let fields = fieldMaps.get(struct);
  if (fields === undefined) {
    fields = new Map(flatFields(struct).map((field) => [field.name, field]));
    fieldMaps.set(struct, fields);
  }
  return fields;
}
