const FIRST_SURROGATE = 0xd800;
const MAYBE_OUT_OF_ORDER = /[\ud800-\uffff]/;

/** True when `a` comes before `b`. */
export type KeyLess = (a: string, b: string) => boolean;

/**
 * A comparison for look-ups of `key` in the order of UTF-8 bytes, as in etcd and LMDB. JavaScript compares UTF-16
 * units; the orders only differ between a surrogate and U+E000 or above. The slow comparison is only needed for keys
 * with such characters.
 */
export function lessFor(key: string): KeyLess {
  return MAYBE_OUT_OF_ORDER.test(key) ? utf8Less : nativeLess;
}

/** Orders keys by their UTF-8 bytes; a comparator for sort. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return lessFor(a)(a, b) ? -1 : 1;
}

function nativeLess(a: string, b: string): boolean {
  return a < b;
}

function utf8Less(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length < b.length;
  return utf8Rank(a.charCodeAt(i)) < utf8Rank(b.charCodeAt(i));
}

/** Ranks surrogates (code points from U+10000) above the rest of the basic plane. */
function utf8Rank(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < 0xe000 ? unit + 0x10000 : unit;
}
