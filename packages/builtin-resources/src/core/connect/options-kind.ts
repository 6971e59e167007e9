import type { KindSchema } from '@apiserver/apimachinery/schema';

/** The schema of connection options in the place of an object's: they have no metadata, and nothing there looks at it. */
export function optionsKind(schema: KindSchema<object>): KindSchema {
  return schema as KindSchema;
}
