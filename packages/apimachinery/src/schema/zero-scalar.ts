import type { Schema } from './schema.js';

/** What a field by value holds when nobody set it, if that is no struct and no list: undefined for those. */
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
