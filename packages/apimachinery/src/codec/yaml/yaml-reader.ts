import { Buffer, isUtf8 } from 'node:buffer';

/** Characters that no text may have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;
const CONTROL = 'control characters are not allowed';

/** Bytes that upstream's reader takes at once. */
const CHUNK = 512;

/**
 * The fault of bytes that are no UTF-8 or have control characters; undefined for others. Texts in UTF-16, which begin
 * with its mark, are not looked at. `text` is that of the bytes, `source` its first document: only the chunks with that
 * one are read.
 *
 * Upstream: yaml_parser_update_buffer in go.yaml.in/yaml/v2/readerc.go
 */
export function readerFault(bytes: Uint8Array, text: string, source: string): string | undefined {
  if (source.length === text.length) return faultIn(bytes, text);
  const end = Math.ceil(Buffer.byteLength(source) / CHUNK) * CHUNK;
  const read = end < bytes.length ? bytes.subarray(0, boundaryBefore(bytes, end)) : bytes;
  return faultIn(read, Buffer.from(read.buffer, read.byteOffset, read.length).toString('utf8'));
}

function faultIn(bytes: Uint8Array, text: string): string | undefined {
  if (isUtf16(bytes)) return undefined;
  if (isUtf8(bytes)) return CONTROLS.test(text) ? CONTROL : undefined;
  return firstFault(bytes);
}

function firstFault(bytes: Uint8Array): string | undefined {
  const start = validStart(bytes);
  if (CONTROLS.test(Buffer.from(bytes.buffer, bytes.byteOffset, start).toString('utf8'))) return CONTROL;
  let at = start;
  for (let width = 1; at < bytes.length; at += width) {
    const first = bytes[at] ?? 0;
    if (first < 0x80 && CONTROLS.test(String.fromCharCode(first))) return CONTROL;
    width = widthOf(first);
    const fault = width === 1 ? undefined : faultOf(bytes.subarray(at, at + width), width);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Bytes that are looked at one by one. */
const FEW = 64;

/** Length of a valid start that ends shortly before the first fault. Native checks of halves find it. */
function validStart(bytes: Uint8Array): number {
  let [valid, end] = [0, bytes.length];
  while (end - valid > FEW) {
    const half = boundaryBefore(bytes, (valid + end) >>> 1);
    if (isUtf8(bytes.subarray(valid, half))) valid = half;
    else end = half;
  }
  return valid;
}

/** The start of the sequence with the byte at this place, at most three bytes before. */
function boundaryBefore(bytes: Uint8Array, place: number): number {
  let start = place;
  while (place - start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Bytes of the sequence that begins with this one; 0 if none does. */
function widthOf(first: number): number {
  if (first < 0x80) return 1;
  if ((first & 0xe0) === 0xc0) return 2;
  if ((first & 0xf0) === 0xe0) return 3;
  return (first & 0xf8) === 0xf0 ? 4 : 0;
}

/** The least code point of each width. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000] as const;

function faultOf(sequence: Uint8Array, width: number): string | undefined {
  if (width === 0) return 'invalid leading UTF-8 octet';
  if (sequence.length < width) return 'incomplete UTF-8 octet sequence';
  const [first = 0, ...trailing] = sequence;
  if (trailing.some((byte) => (byte & 0xc0) !== 0x80)) return 'invalid trailing UTF-8 octet';
  const code = trailing.reduce((value, byte) => (value << 6) + (byte & 0x3f), first & (0xff >> (width + 1)));
  if (code < (LEAST[width] ?? 0)) return 'invalid length of a UTF-8 sequence';
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return 'invalid Unicode character';
  return CONTROLS.test(String.fromCodePoint(code)) ? CONTROL : undefined;
}
