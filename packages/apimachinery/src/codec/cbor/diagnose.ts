import { isUtf8 } from 'node:buffer';
import { CborCursor, MAJOR } from './cbor-cursor.js';
import { readInteger } from './decode-scalar.js';

/**
 * The diagnostic notation of a well-formed data item: `55799({'kind': "Pod", 'n': 1})`. Byte strings that are text are
 * in single quotes.
 *
 * Upstream: RFC 8949, section 8, as github.com/fxamacker/cbor/v2 writes it
 */
export function diagnoseCbor(bytes: Uint8Array): string {
  return diagnose(new CborCursor(bytes));
}

function diagnose(cursor: CborCursor): string {
  if (cursor.major() === MAJOR.tag) return tagged(cursor);
  const isIndefinite = (cursor.peek() & 0x1f) === 31;
  switch (cursor.major()) {
    case MAJOR.unsigned:
    case MAJOR.negative:
      return String(readInteger(cursor));
    case MAJOR.bytes:
    case MAJOR.text:
      return isIndefinite ? chunks(cursor) : string(cursor);
    case MAJOR.array:
      return `[${isIndefinite ? '_ ' : ''}${members(cursor, () => diagnose(cursor))}]`;
    case MAJOR.map: {
      const member = () => `${diagnose(cursor)}: ${diagnose(cursor)}`;
      return `{${isIndefinite ? '_ ' : ''}${members(cursor, member)}}`;
    }
    default:
      return primitive(cursor);
  }
}

/** Any number of tags may precede a value, so they must not use the stack. */
function tagged(cursor: CborCursor): string {
  const tags: string[] = [];
  while (cursor.major() === MAJOR.tag) tags.push(`${cursor.argument()}(`);
  return tags.join('') + diagnose(cursor) + ')'.repeat(tags.length);
}

function members(cursor: CborCursor, next: () => string): string {
  const written: string[] = [];
  const count = cursor.open();
  for (let i = 0; cursor.hasItem(i, count); i++) written.push(next());
  return written.join(', ');
}

function chunks(cursor: CborCursor): string {
  const empty = cursor.major() === MAJOR.text ? '""_' : "''_";
  const written = members(cursor, () => string(cursor));
  return written === '' ? empty : `(_ ${written})`;
}

function string(cursor: CborCursor): string {
  const isText = cursor.major() === MAJOR.text;
  const bytes = cursor.string();
  if (isText) return quoted(bytes.toString('utf8'), '"');
  return bytes.length > 0 && isUtf8(bytes) ? quoted(bytes.toString('utf8'), "'") : `h'${bytes.toString('hex')}'`;
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\\', '\\\\'],
]);

function quoted(text: string, quote: string): string {
  const escaped = text.replace(/[^ -~]|[\\'"]/g, (char) => {
    if (char === quote) return `\\${char}`;
    if (char === '"' || char === "'") return char;
    return SHORT_ESCAPES.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return quote + escaped + quote;
}

function primitive(cursor: CborCursor): string {
  const value = cursor.argument();
  switch (cursor.info) {
    case 20:
      return 'false';
    case 21:
      return 'true';
    case 22:
      return 'null';
    case 23:
      return 'undefined';
    case 25:
    case 26:
    case 27:
      return float(cursor.float(value));
    default:
      return `simple(${value})`;
  }
}

/** Always with a fraction or an exponent. */
function float(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
