import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { CelSchema } from '@apiserver/cel';

/** A structural schema in the form that types are made of. */
export function celSchemaOf(props: JSONSchemaProps): CelSchema {
  const { items, properties, additionalProperties: rest, maxLength, maxItems, maxProperties, ...own } = props;
  return {
    ...own,
    ...(items !== undefined && !Array.isArray(items) && { items: celSchemaOf(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, nested]) => [name, celSchemaOf(nested)])),
    }),
    ...(rest !== undefined && { additionalProperties: typeof rest === 'boolean' ? rest : celSchemaOf(rest) }),
    ...(maxLength !== undefined && { maxLength: Number(maxLength) }),
    ...(maxItems !== undefined && { maxItems: Number(maxItems) }),
    ...(maxProperties !== undefined && { maxProperties: Number(maxProperties) }),
  };
}
