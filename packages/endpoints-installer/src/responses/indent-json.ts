import type { Piece, Pieces } from '../views/pieces.js';

const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

/**
 * Indents compact JSON piece by piece: line breaks and two spaces per level; empty objects and arrays stay on one line.
 * It works on text, which preserves numbers, escapes and the order of keys. Pieces may end anywhere. Use one indenter
 * per document.
 *
 * Upstream: Go's encoding/json.Indent
 */
class JsonIndenter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** True after the opening of an object or array that may be empty. */
  #opened = false;

  /** Indents the next piece. It takes and returns bytes, because a piece may end inside a character. */
  push(piece: Uint8Array): Uint8Array {
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
    const out: string[] = [];
    let at = 0;
    while (at < text.length) {
      if (this.#inString) {
        const end = this.#endOfString(text, at);
        out.push(text.slice(at, end));
        at = end;
      } else {
        out.push(this.#punctuation(text.charAt(at)));
        at++;
      }
    }
    return Buffer.from(out.join(''), 'latin1');
  }

  #punctuation(char: string): string {
    const afterOpening = this.#opened;
    this.#opened = OPENING.has(char);
    if (CLOSING.has(char)) return afterOpening ? char : this.#breakLine(-1) + char;
    const indent = afterOpening ? this.#breakLine(+1) : '';
    if (char === '"') this.#inString = true;
    if (char === ',') return char + this.#breakLine(0);
    return indent + (char === ':' ? ': ' : char);
  }

  #breakLine(change: -1 | 0 | 1): string {
    this.#depth += change;
    return `\n${'  '.repeat(this.#depth)}`;
  }

  #endOfString(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const char = text.charAt(at);
      if (this.#escaped) this.#escaped = false;
      else if (char === '\\') this.#escaped = true;
      else if (char === '"') {
        this.#inString = false;
        return at + 1;
      }
    }
    return text.length;
  }
}

/** Indents a whole document. */
export function indentJson(document: Uint8Array): Uint8Array {
  return new JsonIndenter().push(document);
}

/** Bytes that are indented in one step. */
const SLICE = 64 * 1024;

/** Indents a document in pieces. */
export function indentPieces(pieces: Iterable<Uint8Array>): Generator<Uint8Array>;
export function indentPieces(pieces: Pieces): Generator<Piece>;
export function* indentPieces(pieces: Pieces): Generator<Piece> {
  const indenter = new JsonIndenter();
  for (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) yield piece;
    else for (let at = 0; at < piece.length; at += SLICE) yield indenter.push(piece.subarray(at, at + SLICE));
  }
}
