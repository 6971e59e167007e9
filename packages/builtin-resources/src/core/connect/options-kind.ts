import type { KindSchema } from '@apiserver/apimachinery/schema';

/** Wraps the schema of connection options as a kind without metadata; no code there reads metadata. */
export function optionsKind(schema: KindSchema<object>): KindSchema {
  return schema as KindSchema;
}
