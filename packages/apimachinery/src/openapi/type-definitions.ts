import type { Schema } from '../schema/schema.js';
import type { JsonObject } from '../types/json.js';
import type { OpenApiVersion } from './open-api-options.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** A non-struct type with its own definition: its name and its form. */
export interface NamedType {
  readonly name: string;
  definition(version: OpenApiVersion): JsonObject;
}

const TIME = { type: 'string', format: 'date-time' };
const OBJECT = { type: 'object' };

/** The named type of a schema; undefined for structs and inlined types. */
export function namedType(schema: Schema): NamedType | undefined {
  switch (schema.type) {
    case 'time':
      return fixed(`${META}.Time`, TIME);
    case 'microTime':
      return fixed(`${META}.MicroTime`, TIME);
    case 'duration':
      return fixed(`${META}.Duration`, { type: 'string' });
    case 'fieldsV1':
      return fixed(`${META}.FieldsV1`, OBJECT);
    case 'rawExtension':
      return fixed('io.k8s.apimachinery.pkg.runtime.RawExtension', OBJECT);
    case 'unknown':
      return fixed('io.k8s.apimachinery.pkg.runtime.Unknown', OBJECT);
    case 'json':
      return fixed(schema.name ?? 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', {});
    case 'schemaOr':
      return fixed(schema.name, {});
    case 'quantity':
      return versioned(
        'io.k8s.apimachinery.pkg.api.resource.Quantity',
        { type: 'string' },
        {
          oneOf: [{ type: 'string' }, { type: 'number' }],
        },
      );
    case 'intOrString':
      return versioned(
        'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
        { type: 'string', format: 'int-or-string' },
        {
          format: 'int-or-string',
          oneOf: [{ type: 'integer' }, { type: 'string' }],
        },
      );
    default:
      return undefined;
  }
}

function fixed(name: string, definition: JsonObject): NamedType {
  return { name, definition: () => ({ ...definition }) };
}

/** OpenAPI v2 cannot express two types. */
function versioned(name: string, v2: JsonObject, v3: JsonObject): NamedType {
  return { name, definition: (version) => ({ ...(version === 'v2' ? v2 : v3) }) };
}
