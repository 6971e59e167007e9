import { printNumber } from '../field/print-value.js';
import { compareKeys } from './compare-keys.js';
import { ForeignValue } from './foreign-value.js';

/**
 * A JSON value as Go's `%v` prints it: `map[a:1 b:[x y]]`, maps sorted by key, null as `<nil>`. Messages about patches
 * carry the whole patch in this form.
 */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  if (typeof value !== 'object') {
    return typeof value === 'number' || typeof value === 'bigint' ? printNumber(value) : String(value);
  }
  if (value instanceof ForeignValue) return value.text;
  const object = value as { readonly [key: string]: unknown };
  const members = Object.keys(object)
    .sort(compareKeys)
    .map((key) => `${key}:${formatGoValue(object[key])}`);
  return `map[${members.join(' ')}]`;
}

/** The Go type of a JSON value as `%s` prints it in messages about patches. */
export function goTypeName(value: unknown): string {
  return value === null || value === undefined ? '%!s(<nil>)' : goTypeOf(value);
}

/** The JSON type of a value as errors of Go's decoder name it. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** The Go type of a JSON value as `%T` prints it. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return value instanceof ForeignValue ? value.goType : 'map[string]interface {}';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return BigInt.asIntN(64, value) === value ? 'int64' : 'float64';
    default:
      return Number.isSafeInteger(value) ? 'int64' : 'float64';
  }
}
