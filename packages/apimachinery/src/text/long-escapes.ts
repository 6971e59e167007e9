/**
 * JSON with backspace and form feed by their numbers. Upstream's writer of managed fields does so, unlike that of objects.
 * Upstream: serialize.go of sigs.k8s.io/structured-merge-diff/v6/fieldpath
 */
export function lengthenEscapes(json: string): string {
  // A text may have a megabyte of other escapes, each of which would cost a call.
  return hasShortEscapes(json) ? json.replace(ESCAPES, (text) => LONG_ESCAPES.get(text) ?? text) : json;
}

/** Reports whether JSON may have an escape that `lengthenEscapes` replaces. */
export function hasShortEscapes(json: string): boolean {
  return json.includes('\\b') || json.includes('\\f');
}

const ESCAPES = /\\./g;
const LONG_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\u0008'],
  ['\\f', '\\u000c'],
]);
