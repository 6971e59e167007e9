import { ParseError } from '@apiserver/apimachinery/text';

const SIMPLE: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))|[^\\]/gsu;

/**
 * Resolves the escapes of a string with either kind of quotes. Throws a ParseError for an invalid escape.
 *
 * Upstream: UnquoteExtend of k8s.io/client-go/util/jsonpath/parser.go
 */
export function unquote(inner: string, quote: string): string {
  if (!inner.includes('\\') && !inner.includes(quote)) return inner;
  const parts: Buffer[] = [];
  for (const [token, byte, short, long, octal, simple] of inner.matchAll(ESCAPE)) {
    if (byte !== undefined) parts.push(Buffer.of(Number.parseInt(byte, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(byteOf(Number.parseInt(octal, 8))));
    else if (short !== undefined || long !== undefined) parts.push(Buffer.from(characterOf(short ?? long ?? '')));
    else if (simple !== undefined) parts.push(Buffer.of(simpleEscape(simple, quote)));
    else if (token === quote) throw invalid();
    else parts.push(Buffer.from(token));
  }
  return Buffer.concat(parts).toString('utf8');
}

function simpleEscape(letter: string, quote: string): number {
  const code = letter === quote ? quote.charCodeAt(0) : SIMPLE[letter];
  if (code === undefined) throw invalid();
  return code;
}

function byteOf(value: number): number {
  if (value > 255) throw invalid();
  return value;
}

function characterOf(digits: string): string {
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw invalid();
  return String.fromCodePoint(code);
}

function invalid(): ParseError {
  return new ParseError('invalid syntax');
}
