import type { FieldSchema, Schema } from '../../schema/schema.js';
import type { Members } from './canonical-context.js';

/** True for types whose Go form is a struct, which omitempty never drops. */
export function isStructInGo(schema: Schema): boolean {
  switch (schema.type) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
    case 'bytes':
    case 'list':
    case 'map':
    case 'any':
      return false;
    default:
      return true;
  }
}

/** Makes the predicate that tells whether JSON omits a field with this canonical value. */
export function dropRule(field: FieldSchema): (canonical: unknown) => boolean {
  if (field.omitZero) return (value) => value === null;
  if (!field.omitEmpty) return () => false;
  if (field.pointer) return (value) => value === null;
  switch (field.schema.type) {
    case 'list':
      return (value) => value === null || (value as readonly unknown[]).length === 0;
    case 'map':
      return isEmptyObject;
    case 'string':
    case 'bytes':
      return (value) => value === '';
    case 'bool':
      return (value) => value === false;
    case 'int32':
    case 'int64':
    case 'float64':
      return (value) => value === 0 || value === 0n;
    case 'any':
      return (value) => value === null;
    default:
      return () => false;
  }
}

function isEmptyObject(value: unknown): boolean {
  for (const _ in value as Members) return false;
  return true;
}
