/**
 * Order of two map keys in JSON: by bytes of UTF-8, which is the order of code points. It differs from the order of
 * JavaScript strings only where surrogates meet characters from U+E000 on.
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

/** Up to so many keys are sorted in their place: sorting works on copies, which for a few keys is most of its work. */
const FEW = 16;

/** From so many keys on it pays to look whether JavaScript's own order, which is several times as fast, will do. */
const MANY = 256;

/** Where JavaScript's order and that of code points may differ. */
const HIGH = /[\ud800-\uffff]/;

function sortMany(keys: string[]): string[] {
  for (const key of keys) if (HIGH.test(key)) return keys.sort(compareKeys);
  return keys.sort();
}

/** Sorts keys as `compareKeys` orders them, in their place. */
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

/** Surrogates stand for code points above all others. */
function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
