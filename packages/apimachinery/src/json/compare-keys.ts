/**
 * Order of two map keys in JSON: by UTF-8 bytes, which is the order of code points. It only differs from the order of
 * JavaScript strings between surrogates and characters from U+E000 on.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? rank(x) - rank(y) : x - y;
  }
  return a.length - b.length;
}

/**
 * Maximum number of keys that are sorted by insertion: a native sort copies them, which dominates its cost for few
 * keys.
 */
const FEW = 16;

/** Number of keys from which it pays to check whether JavaScript's own order suffices; it is several times as fast. */
const MANY = 256;

/** Characters for which JavaScript's order and that of code points may differ. */
const HIGH = /[\ud800-\uffff]/;

function sortMany(keys: string[]): string[] {
  for (const key of keys) if (HIGH.test(key)) return keys.sort(compareKeys);
  return keys.sort();
}

/** Sorts keys in place, in the order of `compareKeys`. */
export function sortKeys(keys: string[]): string[] {
  if (keys.length > FEW) return keys.length > MANY ? sortMany(keys) : keys.sort(compareKeys);
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    while (at > 0 && compareKeys(keys[at - 1] as string, key) > 0) {
      keys[at] = keys[at - 1] as string;
      at--;
    }
    keys[at] = key;
  }
  return keys;
}

/** Surrogates belong to code points above all others. */
function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
