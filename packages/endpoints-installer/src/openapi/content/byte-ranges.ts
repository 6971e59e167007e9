import { randomBytes } from 'node:crypto';

/** Part of some content. */
export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Ranges of one request. With more of them the field is ignored; Go's server has no bound. */
export const MAX_RANGES = 100;

const INVALID = 'invalid range';
const NO_OVERLAP = 'invalid range: failed to overlap';
const MAX_INT64 = 2n ** 63n - 1n;
/** Digits of the largest number. */
const MAX_DIGITS = 19;

/** The ranges of a request; or why they cannot be satisfied, with the value of Content-Range if the content is too short. */
export type RequestedRanges = readonly ByteRange[] | { readonly fault: string; readonly unsatisfied?: string };

/**
 * Reads a Range field for content of this size. No ranges: all content is requested.
 *
 * Upstream: parseRange and serveContent in Go's net/http/fs.go
 */
export function requestedRanges(field: string, size: number): RequestedRanges {
  if (field === '') return [];
  if (!field.startsWith('bytes=')) return { fault: INVALID };
  const texts = field.slice('bytes='.length).split(',', MAX_RANGES + 1);
  if (texts.length > MAX_RANGES) return [];
  const parsed = texts.map(trimBlanks).flatMap((text) => (text === '' ? [] : [parseRange(text, size)]));
  const ranges: ByteRange[] = [];
  for (const range of parsed) {
    if (range === 'invalid') return { fault: INVALID };
    if (range !== 'beyond') ranges.push(range);
  }
  if (parsed.length > 0 && ranges.length === 0) {
    return size === 0 ? [] : { fault: NO_OVERLAP, unsatisfied: `bytes */${size}` };
  }
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0) > size ? [] : ranges;
}

function parseRange(text: string, size: number): ByteRange | 'invalid' | 'beyond' {
  const dash = text.indexOf('-');
  if (dash < 0) return 'invalid';
  const [first, last] = [trimBlanks(text.slice(0, dash)), trimBlanks(text.slice(dash + 1))];
  const end = parseInteger(last);
  if (first === '')
    return end === undefined || last.startsWith('-') ? 'invalid' : { start: Math.max(0, size - end), end: size };
  const start = parseInteger(first);
  if (start === undefined || start < 0) return 'invalid';
  if (start >= size) return 'beyond';
  if (last === '') return { start, end: size };
  return end === undefined || start > end ? 'invalid' : { start, end: Math.min(end + 1, size) };
}

/** Without blanks and tabs at its ends. JavaScript's `trim` removes more. Upstream: TrimString in Go's net/textproto */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** Upstream: strconv.ParseInt(text, 10, 64) */
function parseInteger(text: string): number | undefined {
  const [, sign, digits] = /^([+-]?)0*(\d+)$/.exec(text) ?? [];
  if (digits === undefined || digits.length > MAX_DIGITS) return undefined;
  const magnitude = BigInt(digits);
  if (magnitude > MAX_INT64 + (sign === '-' ? 1n : 0n)) return undefined;
  return Number(sign === '-' ? -magnitude : magnitude);
}

/** The value of Content-Range for a part of content of this size. */
export function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`;
}

/** Several parts of some content as one body. */
export interface ByteRanges {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** The body of a response with several parts. Upstream: mime/multipart */
export function multipartRanges(content: Uint8Array, ranges: readonly ByteRange[], contentType: string): ByteRanges {
  const boundary = randomBytes(30).toString('hex');
  const parts = ranges.flatMap((range, at) => [
    Buffer.from(
      `${at === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: ${contentRange(range, content.length)}\r\n` +
        `Content-Type: ${contentType}\r\n\r\n`,
    ),
    content.subarray(range.start, range.end),
  ]);
  const body = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { contentType: `multipart/byteranges; boundary=${boundary}`, body };
}
