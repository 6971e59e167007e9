import { escapeHtml } from './escape-html.js';

/**
 * Go's JSON of a value on one line: no blanks; `<`, `>`, `&` and the two JavaScript line ends escaped. Object keys keep
 * their order, except those of an object with numeric keys: it is a map, and JavaScript puts such keys first.
 * `undefined` properties are left out, `undefined` elsewhere is null.
 */
export function compactJson(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(compactJson).join(',')}]`;
  if (typeof value === 'object') return `{${entriesOf(value).filter(isDefined).map(compactEntry).join(',')}}`;
  return escapeHtml(JSON.stringify(value) ?? 'null');
}

function entriesOf(value: object): [string, unknown][] {
  const entries = Object.entries(value);
  const first = entries[0]?.[0] ?? '';
  return /^\d+$/.test(first) ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries;
}

function isDefined(entry: readonly [string, unknown]): boolean {
  return entry[1] !== undefined;
}

function compactEntry([key, value]: readonly [string, unknown]): string {
  return `${escapeHtml(JSON.stringify(key))}:${compactJson(value)}`;
}

/** The bytes of `compactJson(value)` in UTF-8. Several times faster, unless the value has big numbers. */
export function compactJsonBytes(value: unknown): number {
  const json = plainJson(value);
  if (json === undefined) return Buffer.byteLength(compactJson(value));
  // Each of them is written with six bytes.
  let escaped = 0;
  for (const [found] of json.matchAll(/[<>&\u2028\u2029]+/g)) escaped += 6 * found.length - Buffer.byteLength(found);
  return Buffer.byteLength(json) + escaped;
}

/** Undefined for `undefined`, and for a value with big numbers, which `JSON.stringify` refuses. */
function plainJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
