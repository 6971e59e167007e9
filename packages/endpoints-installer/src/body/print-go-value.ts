import type { Json } from '@apiserver/apimachinery';

/** A JSON value in Go's `%+v` format of its decoded form: `map[a:1 b:[x y]]`, keys sorted, null as `<nil>`. */
export function printGoValue(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(printGoValue).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((key) => `${key}:${printGoValue(value[key] ?? null)}`);
  return `map[${members.join(' ')}]`;
}
