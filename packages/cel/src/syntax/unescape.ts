/** A literal that cannot be read. The message is upstream's. It has no stack: a source can have thousands. */
export class LiteralError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

/**
 * Reads a string literal with its quotes and prefix. Throws a LiteralError.
 *
 * Upstream: github.com/google/cel-go/parser/unescape.go
 */
export function unescapeString(literal: string): string {
  const { text, raw } = unquote(literal);
  if (raw || !text.includes('\\')) return text;
  let result = '';
  for (let at = 0; at < text.length; ) {
    const sequence = text[at] === '\\' ? readEscape(text, at) : undefined;
    if (sequence === undefined) {
      const next = text.indexOf('\\', at);
      const end = next < 0 ? text.length : next;
      result += text.slice(at, end);
      at = end;
      continue;
    }
    if (sequence.code > 0x10ffff || (sequence.code >= 0xd800 && sequence.code <= 0xdfff)) {
      throw new LiteralError('invalid unicode code point');
    }
    result += String.fromCodePoint(sequence.code);
    at = sequence.end;
  }
  return result;
}

/**
 * Reads a bytes literal, without its prefix `b`. Escapes by number are bytes, not code points. Throws a LiteralError.
 */
export function unescapeBytes(literal: string): Uint8Array {
  const { text, raw } = unquote(literal);
  if (raw || !text.includes('\\')) return Buffer.from(text);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '\\') {
      const next = text.indexOf('\\', at);
      const end = next < 0 ? text.length : next;
      parts.push(Buffer.from(text.slice(at, end)));
      at = end;
      continue;
    }
    const kind = text[at + 1];
    if (kind === 'u' || kind === 'U') throw new LiteralError('unable to unescape string');
    const sequence = readEscape(text, at);
    parts.push(Buffer.from([sequence.code]));
    at = sequence.end;
  }
  return Buffer.concat(parts);
}

/** The text between the quotes. Line ends become line feeds. */
function unquote(literal: string): { readonly text: string; readonly raw: boolean } {
  const raw = literal.startsWith('r') || literal.startsWith('R');
  const value = literal
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .slice(raw ? 1 : 0);
  const triple = value.length >= 6 && (value.startsWith("'''") || value.startsWith('"""'));
  return { text: triple ? value.slice(3, -3) : value.slice(1, -1), raw };
}

/** An escape sequence: its code point or byte, and the offset behind it. */
interface Escape {
  readonly code: number;
  readonly end: number;
}

function readEscape(text: string, at: number): Escape {
  const kind = text[at + 1] ?? '';
  const simple = SIMPLE[kind];
  if (simple !== undefined) return { code: simple.charCodeAt(0), end: at + 2 };
  if (kind >= '0' && kind <= '3') return { code: Number.parseInt(text.slice(at + 1, at + 4), 8), end: at + 4 };
  const digits = kind === 'u' ? 4 : kind === 'U' ? 8 : 2;
  return { code: Number.parseInt(text.slice(at + 2, at + 2 + digits), 16), end: at + 2 + digits };
}
