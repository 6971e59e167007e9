import { plainFailure } from '../errors/plain-failure.js';
import { fieldsByName } from '../schema/flat-fields.js';
import type { FieldSchema, Schema } from '../schema/schema.js';

/** Patch strategy of a struct's field. */
export interface PatchMeta {
  /** The struct of a map field, the elements of a list field. */
  readonly schema: Schema;
  readonly merge: boolean;
  readonly replace: boolean;
  /** Empty when the field declares none. */
  readonly mergeKey: string;
}

/**
 * The patch strategy of the member of that name. Throws StatusError when the schema has no such field, or no fields at
 * all.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/meta.go
 */
export function patchMeta(schema: Schema, name: string, isList: boolean): PatchMeta {
  const field = fieldOf(schema, name);
  const strategies = field.patchStrategy ?? [];
  return {
    schema: isList && field.schema.type === 'list' ? field.schema.element : field.schema,
    merge: strategies.includes('merge'),
    replace: strategies.includes('replace'),
    mergeKey: field.patchMergeKey ?? '',
  };
}

function fieldOf(schema: Schema, name: string): FieldSchema {
  if (schema.type === 'map' || schema.type === 'list') {
    const kind = schema.type === 'map' ? 'map' : 'slice';
    throw plainFailure(500, `merging an object in json but data type is not struct, instead is: ${kind}`);
  }
  const field = schema.type === 'struct' ? fieldsByName(schema).get(name) : undefined;
  if (field === undefined) {
    throw plainFailure(500, `unable to find api field in struct ${structName(schema)} for the json field "${name}"`);
  }
  return field;
}

function structName(schema: Schema): string {
  if ('goName' in schema) return schema.goName.slice(schema.goName.lastIndexOf('.') + 1);
  const name = schema.type.charAt(0).toUpperCase() + schema.type.slice(1);
  return name === 'Json' ? 'JSON' : name;
}
