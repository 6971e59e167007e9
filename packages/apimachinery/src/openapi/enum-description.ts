import type { Schema } from '../schema/schema.js';

/**
 * A description with the values of the field's type listed after it, as upstream shows them.
 * The meaning of each value is not among the facts this project has, so only the values are named.
 *
 * Upstream: k8s.io/kube-openapi/pkg/generators/enum.go
 */
export function enumDescription(text: string | undefined, schema: Schema): string | undefined {
  if (schema.type !== 'string' || schema.enum === undefined) return text;
  const values = `Possible enum values:\n${schema.enum.map((value) => ` - \`${JSON.stringify(value)}\``).join('\n')}`;
  return text === undefined || text === '' ? values : `${text}\n\n${values}`;
}
