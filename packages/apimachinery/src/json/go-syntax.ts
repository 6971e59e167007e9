import { quote } from '../text/quote.js';
import type { Json } from '../types/json.js';
import { compareKeys } from './compare-keys.js';

/** A value in Go syntax (`%#v`), for the types of its YAML library: messages show invalid keys so. */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object') return String(value).replace(/^(-?)Infinity$/, (_, sign) => `${sign || '+'}Inf`);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  const members = Object.entries(value).sort(([a], [b]) => compareKeys(a, b));
  return `map[interface {}]interface {}{${members.map(([key, member]) => `${quote(key)}:${goSyntax(member)}`).join(', ')}}`;
}
