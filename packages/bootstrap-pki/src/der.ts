/**
 * The handful of DER encodings an X.509 certificate is made of. Only writing: reading is node:crypto's X509Certificate.
 * Source: ITU-T X.690.
 */

function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function encodeBase128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** SEQUENCE of already encoded members. */
export function sequence(...members: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...members);
}

/** SET of already encoded members; the caller sorts if there is more than one. */
export function set(...members: readonly Uint8Array[]): Buffer {
  return tagged(0x31, ...members);
}

/** INTEGER from an unsigned big-endian magnitude; a leading zero byte is added or dropped as DER wants it. */
export function unsignedInteger(magnitude: Uint8Array): Buffer {
  let start = 0;
  while (start < magnitude.length - 1 && magnitude[start] === 0) start++;
  const trimmed = magnitude.subarray(start);
  const needsSignByte = ((trimmed[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, needsSignByte ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed);
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** OBJECT IDENTIFIER from its dotted form. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encodeBase128)]));
}

export function octetString(content: Uint8Array): Buffer {
  return tagged(0x04, content);
}

/** BIT STRING of whole bytes, or with `unusedBits` in the last one. */
export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), content);
}

export function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

/** UTCTime until 2049, GeneralizedTime after it, as RFC 5280 4.1.2.5 demands. Whole seconds. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  if (date.getUTCFullYear() < 2050) return tagged(0x17, Buffer.from(`${digits.slice(2)}Z`, 'ascii'));
  return tagged(0x18, Buffer.from(`${digits}Z`, 'ascii'));
}

/** [number] EXPLICIT around one encoded value. */
export function explicit(number: number, content: Uint8Array): Buffer {
  return tagged(0xa0 | number, content);
}

/** [number] IMPLICIT of a primitive value's content. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return tagged(0x80 | number, content);
}
