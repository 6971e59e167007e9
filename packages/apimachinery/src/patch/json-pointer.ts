/**
 * The decoded keys of a JSON patch operation's path. Text before the first slash is ignored, as upstream; undefined for
 * a path without a slash (the whole document, or an invalid one).
 *
 * Upstream: gopkg.in/evanphx/json-patch.v4 (RFC 6901 apart from the leading slash)
 */
export function parseJsonPointer(path: string): readonly [parents: Iterable<string>, key: string] | undefined {
  const last = path.lastIndexOf('/');
  return last < 0 ? undefined : [parentsIn(path, last), decodeKey(path.slice(last + 1))];
}

/** Each when it is asked for: a path may have a million keys, of which the document has few. */
function* parentsIn(path: string, last: number): Iterable<string> {
  for (let at = path.indexOf('/') + 1; at <= last; ) {
    const end = path.indexOf('/', at);
    yield decodeKey(path.slice(at, end));
    at = end + 1;
  }
}

function decodeKey(part: string): string {
  return part.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'));
}

/**
 * The index in a list of `length` elements that a key names: a decimal number, counted from the end if negative.
 * Undefined for other text and out of range.
 */
export function listIndex(key: string, length: number): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(key)) return undefined;
  const index = Number(key);
  const fromStart = index < 0 ? index + length : index;
  return fromStart >= 0 && fromStart < length ? fromStart : undefined;
}
