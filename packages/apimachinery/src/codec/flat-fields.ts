import type { FieldSchema, StructSchema } from '../schema/schema.js';

/** The fields of a struct as JSON shows them: those of inline structs stand in the place of the inline field. */
export function flatFields(struct: StructSchema): readonly FieldSchema[] {
  return struct.fields.flatMap((field) =>
    field.inline && field.schema.type === 'struct' ? flatFields(field.schema) : [field],
  );
}
