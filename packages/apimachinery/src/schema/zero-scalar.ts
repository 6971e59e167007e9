import type { Schema } from './schema.js';

/** The zero value of a field by value; undefined for structs and lists. */
export function zeroScalar(schema: Schema): '' | 0 | false | undefined {
  switch (schema.type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
      return 0;
    default:
      return undefined;
  }
}
