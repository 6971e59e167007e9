import type { Json } from '@apiserver/apimachinery';
import { namesGoField } from '@apiserver/apimachinery/json';
import type { Schema } from '@apiserver/apimachinery/schema';

/** Gives fields their declared names: in annotations, upstream reads names regardless of case (Go's encoding/json). */
export function withDeclaredNames(value: Json | undefined, schema: Schema): Json {
  if (value === null || typeof value !== 'object') return value ?? null;
  if (Array.isArray(value)) {
    return schema.type === 'list' ? value.map((item) => withDeclaredNames(item, schema.element)) : value;
  }
  if (schema.type !== 'struct') return value;
  const fields = Object.entries(value).map(([name, item]) => {
    const field =
      schema.fields.find((declared) => declared.name === name) ??
      schema.fields.find((declared) => namesGoField(name, declared.name));
    return field === undefined ? [name, item] : [field.name, withDeclaredNames(item, field.schema)];
  });
  return Object.fromEntries(fields);
}
