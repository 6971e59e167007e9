const SURROGATES = /[\ud800-\udfff]/;

/**
 * A text by its code points, which are what expressions count. A text without characters beyond U+FFFF needs no
 * conversion of indexes.
 */
export class CodePoints {
  readonly text: string;
  /** The number of code points. */
  readonly size: number;
  /** The index of the first code unit of each code point beyond U+FFFF. */
  readonly #pairs: readonly number[];

  constructor(text: string) {
    this.text = text;
    this.#pairs = SURROGATES.test(text) ? pairsOf(text) : [];
    this.size = text.length - this.#pairs.length;
  }

  /** The text between two code points. */
  slice(start: number, end: number): string {
    return this.text.slice(this.unitAt(start), this.unitAt(end));
  }

  /** The index of the code unit where a code point begins. */
  unitAt(index: number): number {
    let before = 0;
    let above = this.#pairs.length;
    while (before < above) {
      const middle = (before + above) >> 1;
      if ((this.#pairs[middle] ?? 0) - middle < index) before = middle + 1;
      else above = middle;
    }
    return index + before;
  }

  /** The index of the code point that begins at a code unit. */
  indexAt(unit: number): number {
    let before = 0;
    let above = this.#pairs.length;
    while (before < above) {
      const middle = (before + above) >> 1;
      if ((this.#pairs[middle] ?? 0) < unit) before = middle + 1;
      else above = middle;
    }
    return unit - before;
  }
}

function pairsOf(text: string): number[] {
  const pairs: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) <= 0xffff) continue;
    pairs.push(at);
    at++;
  }
  return pairs;
}
