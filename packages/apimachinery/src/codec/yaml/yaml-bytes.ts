import { isBare, writeEscape, writeUtf8 } from './yaml-escape.js';
import { doubleApostrophes, escapeByJson, roomForEscapes, translateEscapes } from './yaml-long-quotes.js';
import { NO_FOLD, writeSimpleText } from './yaml-plain-text.js';
import { LONG_TEXT } from './yaml-scalar-style.js';

/** Text is folded at the first blank after this column. */
const BEST_WIDTH = 80;

/** Maximum bytes of an unescaped character, and of the longest escape. */
const MAX_BYTES = 3;
const MAX_ESCAPE_LENGTH = 10;

/** Maximum size in bytes of memory that is kept for the next document. */
const MAX_KEPT = 64 * 1024;

/** Number of blanks from which a native fill beats a loop. */
const MANY_BLANKS = 32;

let kept: Buffer | undefined;

/** The quoting of a text. */
export type YamlQuotes = 'none' | 'single' | 'double';

/** Growing YAML text in UTF-8. It is only appended: the cost of a character does not depend on the length before it. */
export class YamlBytes {
  #bytes: Buffer;
  #at = 0;
  /** Characters since the last line break; after long text any number other than 0. */
  #column = 0;

  constructor() {
    this.#bytes = kept ?? Buffer.allocUnsafeSlow(1_024);
    kept = undefined;
  }

  /** Returns the written bytes, which end with a line break. */
  finish(): Uint8Array {
    if (this.#column > 0 || this.#at === 0) this.newLine(0);
    const written = this.#bytes.subarray(0, this.#at);
    // A large buffer is handed over if little of its memory is unused.
    if (this.#bytes.length > MAX_KEPT) return 2 * this.#at > this.#bytes.length ? written : Buffer.from(written);
    kept = this.#bytes;
    return Buffer.from(written);
  }

  /** One character of ASCII, no line break. */
  character(c: number): void {
    if (this.#at === this.#bytes.length) this.#grow(this.#at + 1);
    this.#bytes[this.#at++] = c;
    this.#column++;
  }

  /** ASCII text without line breaks. */
  ascii(text: string): void {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.#at = at;
    this.#column += text.length;
  }

  /**
   * Writes short text that is plain, or a quoted word, on one line; returns false for all other text. Keys are never
   * folded.
   */
  simple(text: string, isKey: boolean): boolean {
    if (text.length >= LONG_TEXT) return false;
    this.#reserve(text.length + 2);
    const end = writeSimpleText(this.#bytes, this.#at, text, isKey ? NO_FOLD : BEST_WIDTH + 1 - this.#column);
    if (end < 0) return false;
    this.#column += end - this.#at;
    this.#at = end;
    return true;
  }

  /** Begins a line. */
  newLine(indent: number): void {
    this.#reserve(1 + indent);
    this.#bytes[this.#at++] = 0x0a;
    this.#column = 0;
    this.#blanks(indent);
  }

  /** Begins a line unless the text is at the beginning of one. */
  freshLine(indent: number): void {
    if (this.#column === 0 && this.#at > 0) this.#blanks(indent);
    else this.newLine(indent);
  }

  /** Quoted text on one line. */
  line(text: string, quotes: YamlQuotes): void {
    this.folded(text, quotes, -1);
  }

  /**
   * The same on as many lines as needed, the further ones at `indent`. Lines break at single blanks beyond the best
   * width; double-quoted text also at the first of several. They break neither at the first character nor at the last.
   */
  folded(text: string, quotes: YamlQuotes, indent: number): void {
    this.#quote(quotes);
    if (quotes === 'single' && SEPARATOR.test(text)) this.#separatedLines(text, indent);
    else if (text.length < LONG_TEXT) this.#characters(text, quotes, indent);
    else this.#long(text, quotes, indent);
    this.#quote(quotes);
  }

  /** Text with its own line breaks; all non-empty lines at `indent`. */
  literal(text: string, indent: number): void {
    this.newLine(0);
    if (SEPARATOR.test(text)) this.#separatedLiteral(text, indent);
    else this.#literalLines(text, indent);
  }

  #literalLines(text: string, indent: number): void {
    const source = Buffer.from(text);
    // ASCII has the same offsets in text and bytes, and searches in text are faster.
    const searched = source.length === text.length ? text : source;
    this.#reserve(source.length);
    for (let i = 0; i < source.length; i++) {
      if (source[i] !== LINE_FEED) i = this.#literalLine(source, searched, i, indent);
      if (i < source.length) this.newLine(0);
    }
  }

  /** Writes a non-empty line; returns its end. */
  #literalLine(source: Buffer, searched: string | Buffer, start: number, indent: number): number {
    this.#reserve(indent + SHORT_LINE);
    this.#blanks(indent);
    const bytes = this.#bytes;
    const near = Math.min(source.length, start + SHORT_LINE);
    let at = this.#at;
    let i = start;
    for (; i < near && source[i] !== LINE_FEED; i++) bytes[at++] = source[i] as number;
    this.#at = at;
    this.#column += i - start;
    if (i < near || i === source.length) return i;
    const next = searched.indexOf('\n', i);
    const end = next === -1 ? source.length : next;
    this.#reserve(end - i);
    this.#at += source.copy(this.#bytes, this.#at, i, end);
    return end;
  }

  /** The same for text with line breaks beyond ASCII, which are kept. */
  #separatedLiteral(text: string, indent: number): void {
    let isStart = true;
    for (const c of text) {
      const isBreak = c === '\n' || SEPARATOR.test(c);
      if (isStart && !isBreak) this.#blanks(indent);
      if (c === '\n') this.newLine(0);
      else {
        this.#reserve(MAX_BYTES);
        this.#utf8(c.charCodeAt(0));
        if (isBreak) this.#column = 0;
      }
      isStart = isBreak;
    }
  }

  /** Text in single quotes with line breaks beyond ASCII, which are kept. The text behind one is indented. */
  #separatedLines(text: string, indent: number): void {
    let isStart = false;
    for (let i = 0; i < text.length; i++) {
      const isBreak = SEPARATOR.test(text.charAt(i));
      if (isStart && !isBreak) this.#blanks(Math.max(indent, 0));
      if (indent >= 0 && text[i] === ' ' && this.#column > BEST_WIDTH && breaksAt(text, i, false)) this.newLine(indent);
      else {
        this.#reserve(MAX_BYTES);
        this.#utf8(text.charCodeAt(i));
        if (text[i] === "'") this.character(0x27);
      }
      if (isBreak) this.#column = 0;
      isStart = isBreak;
    }
  }

  #quote(quotes: YamlQuotes): void {
    if (quotes !== 'none') this.character(quotes === 'double' ? 0x22 : 0x27);
  }

  /** Writes short text. Room for all of it is reserved at once. */
  #characters(text: string, quotes: YamlQuotes, indent: number): void {
    this.#reserve((MAX_ESCAPE_LENGTH + 1) * text.length);
    const isDouble = quotes === 'double';
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 0x20) {
        if (indent >= 0 && this.#column > BEST_WIDTH && breaksAt(text, i, isDouble)) this.#breakLine(text, i, indent);
        else this.#utf8(c);
      } else if (isDouble && !isBare(c)) {
        const code = text.codePointAt(i) as number;
        const end = writeEscape(this.#bytes, this.#at, code);
        this.#column += end - this.#at;
        this.#at = end;
        if (code > 0xffff) i++;
      } else {
        this.#utf8(c);
        if (c === 0x27 && quotes === 'single') this.#utf8(c);
      }
    }
  }

  /** Replaces the blank at `i` by a line break. */
  #breakLine(text: string, i: number, indent: number): void {
    this.newLine(indent);
    if (text.charCodeAt(i + 1) === 0x20) this.ascii('\\');
    this.#reserve((MAX_ESCAPE_LENGTH + 1) * (text.length - i));
  }

  /**
   * Writes long text: first its escapes, which contain no blanks, then its lines. Both use native searches and copies.
   */
  #long(text: string, quotes: YamlQuotes, indent: number): void {
    if (quotes === 'single' && text.length < VERY_LONG_TEXT) this.#folds(text.replace(/'/g, "''"), quotes, indent);
    else if (quotes === 'single' && text.includes("'")) {
      const source = Buffer.from(text);
      this.#reserve(2 * source.length);
      this.#lines(text, indent, quotes, doubleApostrophes(source, this.#bytes, this.#at));
    } else if (quotes === 'double') {
      const { escaped, isYaml } = escapeByJson(text);
      if (isYaml) this.#folds(escaped, quotes, indent);
      else {
        const source = Buffer.from(escaped);
        this.#reserve(roomForEscapes(escaped, source.length));
        this.#lines(text, indent, quotes, translateEscapes(source, this.#bytes, this.#at));
      }
    } else this.#folds(text, quotes, indent);
  }

  /** Long text that is already written up to `end`, on one line. */
  #lines(text: string, indent: number, quotes: YamlQuotes, end: number): void {
    if (indent >= 0 && text.includes(' ')) {
      const isAscii = Buffer.byteLength(text) === text.length;
      const escaped = isAscii
        ? this.#bytes.toString('latin1', this.#at, end)
        : this.#bytes.toString('utf8', this.#at, end);
      this.#folds(escaped, quotes, indent);
    } else {
      this.#column += end - this.#at;
      this.#at = end;
    }
  }

  /** Writes escaped text on as many lines as needed. */
  #folds(escaped: string, quotes: YamlQuotes, indent: number): void {
    if (indent < 0 || !escaped.includes(' ', BEST_WIDTH + 1 - this.#column)) this.#whole(escaped);
    else if (Buffer.byteLength(escaped) === escaped.length) this.#foldAscii(escaped, quotes, indent);
    else this.#fold(escaped, quotes, indent, (start, end) => this.#whole(escaped.slice(start, end)));
  }

  #foldAscii(escaped: string, quotes: YamlQuotes, indent: number): void {
    const source = Buffer.from(escaped, 'latin1');
    this.#reserve(Math.ceil((1 + indent / BEST_WIDTH) * source.length));
    this.#fold(escaped, quotes, indent, (start, end) => {
      this.#reserve(end - start);
      this.#at += source.copy(this.#bytes, this.#at, start, end);
    });
  }

  #fold(escaped: string, quotes: YamlQuotes, indent: number, write: (start: number, end: number) => void): void {
    const breaks = quotes === 'double' ? BREAK_OF_DOUBLE : BREAK;
    let start = 0;
    let column = this.#column;
    for (;;) {
      // The character before the blank is part of the match.
      breaks.lastIndex = Math.max(start + BEST_WIDTH + 1 - column, start, 1) - 1;
      if (!breaks.test(escaped)) break;
      const at = breaks.lastIndex - 2;
      write(start, at);
      this.newLine(indent);
      start = at + 1;
      column = indent;
      if (escaped.charCodeAt(start) !== 0x20) continue;
      this.ascii('\\');
      column++;
    }
    breaks.lastIndex = 0;
    write(start, escaped.length);
  }

  /** Writes long text unchanged on one line. */
  #whole(text: string): void {
    this.#reserve(text.length <= MAX_KEPT ? MAX_BYTES * text.length : Buffer.byteLength(text));
    this.#at += this.#bytes.write(text, this.#at, 'utf8');
    this.#column += text.length;
  }

  /** Writes a character of the basic plane. The caller reserves room for it. */
  #utf8(c: number): void {
    if (c < 0x80) this.#bytes[this.#at++] = c;
    else this.#at = writeUtf8(this.#bytes, this.#at, c);
    this.#column++;
  }

  #blanks(count: number): void {
    this.#reserve(count);
    const end = this.#at + count;
    if (count > MANY_BLANKS) this.#bytes.fill(0x20, this.#at, end);
    else for (let at = this.#at; at < end; at++) this.#bytes[at] = 0x20;
    this.#at = end;
    this.#column += count;
  }

  #reserve(count: number): void {
    const length = this.#at + count;
    if (length > this.#bytes.length) this.#grow(length);
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

const LINE_FEED = 0x0a;

/** Length from which a loop over the bytes of a text is worth its compilation. */
const VERY_LONG_TEXT = 1024 * 1024;

/** Line breaks other than the line feed that unescaped text may have. */
const SEPARATOR = /[\u2028\u2029]/;

/** Lines up to this many bytes are copied in a loop, longer ones natively. */
const SHORT_LINE = 8;

/** Blanks at which a long line may break, except the text's first and last. */
const BREAK = /[^ ] [^ ]/g;
const BREAK_OF_DOUBLE = /[^ ] ./gs;

/** True if a long line may break at the blank at `i`. */
function breaksAt(text: string, i: number, isDouble: boolean): boolean {
  if (i === 0 || i === text.length - 1 || text.charCodeAt(i - 1) === 0x20) return false;
  return isDouble || text.charCodeAt(i + 1) !== 0x20;
}
