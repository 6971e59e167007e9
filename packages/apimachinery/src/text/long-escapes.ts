const BACKSLASH = 0x5c;
const LETTER_B = 0x62;
const LETTER_F = 0x66;
/** The long escapes of backspace and form feed. */
const BACKSPACE = [...Buffer.from('\\u0008')];
const FORM_FEED = [...Buffer.from('\\u000c')];
/** Bytes of a long escape for each of a short one. */
const GROWTH = 3;

/**
 * JSON with backspace and form feed by their numbers. Upstream's writer of managed fields does so, unlike that of objects.
 * Upstream: serialize.go of sigs.k8s.io/structured-merge-diff/v6/fieldpath
 */
export function lengthenEscapes(json: string): string {
  return hasShortEscapes(json) ? lengthened(Buffer.from(json)).toString() : json;
}

/** Reports whether JSON may have an escape that `lengthenEscapes` replaces. */
export function hasShortEscapes(json: string): boolean {
  return json.includes('\\b') || json.includes('\\f');
}

/** A name may have megabytes of escapes: for each, a call or a piece of text would take too long. */
function lengthened(json: Buffer): Buffer {
  const out = Buffer.allocUnsafe(GROWTH * json.length);
  let length = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    const escaped = byte === BACKSLASH ? json[++at] : undefined;
    const long = escaped === LETTER_B ? BACKSPACE : escaped === LETTER_F ? FORM_FEED : undefined;
    if (long !== undefined) {
      for (const part of long) out[length++] = part;
      continue;
    }
    out[length++] = byte;
    if (escaped !== undefined) out[length++] = escaped;
  }
  return out.subarray(0, length);
}
