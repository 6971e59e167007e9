import { isMembers } from '../../json/is-members.js';
import { flatFields } from '../../schema/flat-fields.js';
import type { Schema, StructSchema } from '../../schema/schema.js';
import { checkDepth, isDeeper, MAX_VALUE_DEPTH } from './value-depth.js';

/**
 * Throws DecodeError when a typed object nests too deep, as `checkDepth`. Looks only at what has no bound in the schema:
 * raw values, and structs that contain themselves. Most objects have few of them, or none.
 */
export function refuseDeepRaw(schema: StructSchema, object: unknown): void {
  if (deepCheck(schema)?.(object, MAX_VALUE_DEPTH)) checkDepth(object);
}

/** Reports whether a value nests deeper than so many levels. */
type IsDeep = (value: unknown, levels: number) => boolean;

/** Undefined for schemas whose values cannot nest deep. */
const compiled = new WeakMap<StructSchema, IsDeep | undefined>();

function deepCheck(schema: Schema): IsDeep | undefined {
  switch (schema.type) {
    case 'struct':
      return structCheck(schema);
    case 'list':
      return listCheck(deepCheck(schema.element));
    case 'map':
      return mapCheck(deepCheck(schema.element));
    case 'schemaOr':
    case 'any':
    case 'json':
    case 'rawExtension':
    case 'fieldsV1':
    case 'unknown':
      return isDeeper;
    default:
      return undefined;
  }
}

function structCheck(schema: StructSchema): IsDeep | undefined {
  if (compiled.has(schema)) return compiled.get(schema);
  // Within itself, a struct is walked whole.
  compiled.set(schema, isDeeper);
  const fields: (readonly [string, IsDeep])[] = [];
  for (const { name, schema: field } of flatFields(schema)) {
    const check = deepCheck(field);
    if (check !== undefined) fields.push([name, check]);
  }
  const check: IsDeep | undefined =
    fields.length === 0
      ? undefined
      : (value, levels) => isMembers(value) && fields.some(([name, isDeep]) => isDeep(value[name], levels - 1));
  compiled.set(schema, check);
  return check;
}

function listCheck(isDeep: IsDeep | undefined): IsDeep | undefined {
  if (isDeep === undefined) return undefined;
  return (value, levels) => Array.isArray(value) && value.some((item) => isDeep(item, levels - 1));
}

function mapCheck(isDeep: IsDeep | undefined): IsDeep | undefined {
  if (isDeep === undefined) return undefined;
  return (value, levels) => {
    if (!isMembers(value)) return false;
    for (const name in value) if (isDeep(value[name], levels - 1)) return true;
    return false;
  };
}
