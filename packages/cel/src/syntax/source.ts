/** A place in a source: line from 1, column from 0, in code points. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** The location of errors that concern no place. */
export const NO_LOCATION: Location = { line: -1, column: -1 };

/** A line longer than this, in bytes of UTF-8, is not shown below an error. */
const MAX_SNIPPET_BYTES = 16_384;

/** The text of an expression, with its lines. Offsets are in UTF-16 units. */
export class Source {
  readonly text: string;
  #lineStarts: readonly number[] | undefined;
  /** The place that was located last, and its offset: errors of one line are mostly located from left to right. */
  #last: Location & { readonly offset: number } = { ...NO_LOCATION, offset: 0 };

  constructor(text: string) {
    this.text = text;
  }

  /** The length in code points. */
  get codePoints(): number {
    return codePointsOf(this.text);
  }

  /** Where an offset is. For -1, and in an empty source, upstream names the column before the first. */
  locate(offset: number): Location {
    if (offset < 0 || this.text === '') return { line: 1, column: -1 };
    const starts = this.#starts();
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    const { line, column, offset: last } = this.#last;
    const known = line === low + 1 && last <= offset;
    const from = known ? last : starts[low];
    const found = { line: low + 1, column: (known ? column : 0) + codePointsOf(this.text.slice(from, offset)) };
    this.#last = { ...found, offset };
    return found;
  }

  /** The text of a line, counted from 1, without its end; undefined if there is no such line, or no text. */
  line(line: number): string | undefined {
    const starts = this.#starts();
    const start = starts[line - 1];
    if (start === undefined || this.text === '') return undefined;
    const next = starts[line];
    return this.text.slice(start, next === undefined ? undefined : next - 1);
  }

  #starts(): readonly number[] {
    if (this.#lineStarts === undefined) {
      const starts = [0];
      for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) starts.push(at + 1);
      this.#lineStarts = starts;
    }
    return this.#lineStarts;
  }
}

/** An error at a place of an expression. */
export interface ExpressionError {
  readonly location: Location;
  readonly message: string;
}

/** Most errors of one expression that are shown. */
const MAX_ERRORS = 100;

/**
 * Collects the errors of one expression.
 *
 * Upstream: github.com/google/cel-go/common/errors.go
 */
export class ExpressionErrors {
  readonly source: Source;
  readonly #errors: ExpressionError[] = [];
  #count = 0;

  constructor(source: Source) {
    this.source = source;
  }

  get count(): number {
    return this.#count;
  }

  /** The message of the error that was found first; undefined if there is none. */
  get first(): string | undefined {
    return this.#errors[0]?.message;
  }

  /** Adds an error at an offset of the source. */
  addAt(offset: number, message: string): void {
    if (this.#count < MAX_ERRORS) this.add(this.source.locate(offset), message);
    else this.#count++;
  }

  add(location: Location, message: string): void {
    this.#count++;
    if (this.#count <= MAX_ERRORS) this.#errors.push({ location, message });
  }

  /** The errors by place, as upstream prints them: each with its line and a caret. */
  toString(): string {
    const byPlace = this.#errors.toSorted(
      (a, b) => a.location.line - b.location.line || a.location.column - b.location.column,
    );
    const lines = byPlace.map((error) => displayError(this.source, error));
    if (this.#count > MAX_ERRORS) lines.push(`${this.#count - MAX_ERRORS} more errors were truncated`);
    return lines.join('\n');
  }
}

function displayError(source: Source, { location, message }: ExpressionError): string {
  const head = `ERROR: <input>:${location.line}:${location.column + 1}: ${message}`;
  const line = source.line(location.line);
  if (line === undefined || Buffer.byteLength(line) > MAX_SNIPPET_BYTES) return head;
  let dots = '';
  let mark = '^';
  for (const character of line) {
    if (dots.length >= location.column) {
      if (isWide(character)) mark = '＾';
      break;
    }
    dots += isWide(character) ? '．' : '.';
  }
  return `${head}\n | ${line.replaceAll('\t', ' ')}\n | ${dots}${mark}`;
}

/** True for a character of more than one byte of UTF-8, which takes two columns. */
function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}

function codePointsOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    count++;
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) at++;
  }
  return count;
}
