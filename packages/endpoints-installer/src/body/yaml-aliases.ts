const AND = 0x26;
const ASTERISK = 0x2a;

/** Places where an alias or an anchor may begin. Elsewhere the two characters are text. */
const ALIAS = /(?:^|[\s,[\]{}:?-])\*/g;
const ANCHOR = /(?:^|[\s,[\]{}:?-])&/;

/** Number of aliases below which a short text adds at most ten thousand values. */
const MANY_ALIASES = 8;
const LONG = 4 * 1024;

/**
 * Reports whether YAML may expand far beyond its size: aliases repeat anchored values. A quick conservative check; For
 * nearly all bodies, which lack both characters, it is two searches for a byte.
 */
export function mayExpand(bytes: Uint8Array): boolean {
  if (!bytes.includes(ASTERISK) || !bytes.includes(AND)) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (!ANCHOR.test(text)) return false;
  let aliases = 0;
  for (const _ of text.matchAll(ALIAS)) if (++aliases >= MANY_ALIASES) return true;
  return aliases > 0 && bytes.length > LONG;
}
