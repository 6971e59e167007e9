import { quote } from '../text/quote.js';
import type { Json } from '../types/json.js';
import { compareKeys } from './compare-keys.js';

/**
 * A value as Go writes it in a program (`%#v`), of the types that its YAML library reads into: how messages show a key
 * that is none.
 */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  const members = Object.entries(value).sort(([a], [b]) => compareKeys(a, b));
  return `map[interface {}]interface {}{${members.map(([key, member]) => `${quote(key)}:${goSyntax(member)}`).join(', ')}}`;
}
