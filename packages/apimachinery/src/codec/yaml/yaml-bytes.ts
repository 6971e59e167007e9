import { writeEscape } from './yaml-escape.js';

/** Text is folded at the first blank after this column. */
const BEST_WIDTH = 80;

/** Bytes that any one character needs, escaped. */
const ROOM = 16;

/** Characters that are written at a time. */
const RUN = 1_024;

/** Bytes of a character that stands for itself. */
const MOST_BYTES = 3;

/** Memory that is kept for the next document. */
const MAX_KEPT = 64 * 1024;

let kept: Uint8Array | undefined;

/** How the characters of a text are written. */
export type YamlQuotes = 'none' | 'single' | 'double';

/**
 * Growing YAML text in UTF-8. It is written front to back and never read: each character costs the same, however many
 * were written before.
 */
export class YamlBytes {
  #bytes: Uint8Array;
  #at = 0;
  /** Characters since the last line break. */
  #column = 0;

  constructor() {
    this.#bytes = kept ?? new Uint8Array(1_024);
    kept = undefined;
  }

  /** A copy of what was written, which ends with a line break. */
  finish(): Uint8Array {
    if (this.#column > 0 || this.#at === 0) this.#newLine(0);
    const out = Buffer.from(this.#bytes.subarray(0, this.#at));
    if (this.#bytes.length <= MAX_KEPT) kept = this.#bytes;
    return out;
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

  /** Begins a line, if the text is not at the beginning of one already. */
  newLine(indent: number): void {
    this.#newLine(indent, this.#column === 0 && this.#at > 0);
  }

  /** Text between quotes on one line. */
  line(text: string, quotes: YamlQuotes): void {
    this.#quote(quotes);
    this.#characters(text, quotes, -1);
    this.#quote(quotes);
  }

  /**
   * The same on as many lines as it takes, further ones at `indent`. The line breaks at single blanks beyond the best
   * width; double-quoted text at the first of several, too. It breaks neither at the first character nor at the last.
   */
  folded(text: string, quotes: YamlQuotes, indent: number): void {
    this.#quote(quotes);
    this.#characters(text, quotes, indent);
    this.#quote(quotes);
  }

  /** Text with its own line breaks; all lines but empty ones at `indent`. */
  literal(text: string, indent: number): void {
    let isStart = true;
    this.#newLine(0);
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 0x0a) this.#newLine(0);
      else {
        if (isStart) this.#blanks(indent);
        this.#reserve(ROOM);
        this.#utf8(c);
      }
      isStart = c === 0x0a;
    }
  }

  #quote(quotes: YamlQuotes): void {
    if (quotes !== 'none') this.ascii(quotes === 'double' ? '"' : "'");
  }

  /** One loop over local variables: this is where nearly all of the time goes. */
  #characters(text: string, quotes: YamlQuotes, indent: number): void {
    const isDouble = quotes === 'double';
    for (let i = 0; i < text.length; i++) {
      i = this.#bareRun(text, i, quotes, indent);
      if (i >= text.length) return;
      this.#reserve(ROOM);
      const c = text.charCodeAt(i);
      if (c === 0x20) this.#breakLine(text, i, indent);
      else if (isDouble && !isBare(c)) {
        const code = text.codePointAt(i) as number;
        const end = writeEscape(this.#bytes, this.#at, code);
        this.#column += end - this.#at;
        this.#at = end;
        if (code > 0xffff) i++;
      } else this.#utf8(c);
    }
  }

  /** Writes what stands for itself from `start` on, up to where the line breaks or another character comes. */
  #bareRun(text: string, start: number, quotes: YamlQuotes, indent: number): number {
    const { length } = text;
    const isDouble = quotes === 'double';
    let column = this.#column;
    let i = start;
    while (i < length) {
      const end = Math.min(length, i + RUN);
      this.#reserve(MOST_BYTES * RUN);
      const bytes = this.#bytes;
      let at = this.#at;
      for (; i < end; i++) {
        const c = text.charCodeAt(i);
        if (c < 0x20 || (isDouble && !isBare(c))) break;
        if (c === 0x20 && column > BEST_WIDTH && indent >= 0 && breaksAt(text, i, isDouble)) break;
        column++;
        if (c < 0x7f) bytes[at++] = c;
        else at = writeUtf8(bytes, at, c);
        if (c === 0x27 && quotes === 'single') {
          bytes[at++] = c;
          column++;
        }
      }
      this.#at = at;
      this.#column = column;
      if (i < end) return i;
    }
    return i;
  }

  /** A break in place of the blank at `i`. */
  #breakLine(text: string, i: number, indent: number): void {
    this.#newLine(indent);
    if (text.charCodeAt(i + 1) === 0x20) this.ascii('\\');
  }

  /** A character of the basic plane: all others are escaped. */
  #utf8(c: number): void {
    this.#at = writeUtf8(this.#bytes, this.#at, c);
    this.#column++;
  }

  #newLine(indent: number, isThere = false): void {
    this.#reserve(ROOM);
    if (!isThere) this.#bytes[this.#at++] = 0x0a;
    this.#column = 0;
    this.#blanks(indent);
  }

  #blanks(count: number): void {
    this.#reserve(count);
    for (let end = this.#at + count; this.#at < end; ) this.#bytes[this.#at++] = 0x20;
    this.#column += count;
  }

  #reserve(count: number): void {
    const length = this.#at + count;
    if (length <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}

/** Writes a character of the basic plane and answers where it ends. */
function writeUtf8(bytes: Uint8Array, start: number, c: number): number {
  let at = start;
  if (c < 0x80) bytes[at++] = c;
  else if (c < 0x800) {
    bytes[at++] = 0xc0 | (c >> 6);
    bytes[at++] = 0x80 | (c & 0x3f);
  } else {
    bytes[at++] = 0xe0 | (c >> 12);
    bytes[at++] = 0x80 | ((c >> 6) & 0x3f);
    bytes[at++] = 0x80 | (c & 0x3f);
  }
  return at;
}

/** True when a line that is long enough may break at the blank at `i`. */
function breaksAt(text: string, i: number, isDouble: boolean): boolean {
  if (i === 0 || i === text.length - 1 || text.charCodeAt(i - 1) === 0x20) return false;
  return isDouble || text.charCodeAt(i + 1) !== 0x20;
}

/** True for a character that needs no escape between double quotes. */
function isBare(c: number): boolean {
  if (c < 0x7f) return c >= 0x20 && c !== 0x22 && c !== 0x5c;
  return (
    (c >= 0xa0 && c <= 0xd7ff && c !== 0x2028 && c !== 0x2029) ||
    (c >= 0xe000 && c <= 0xfefe) ||
    (c >= 0xff00 && c <= 0xfffd)
  );
}
