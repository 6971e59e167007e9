/** Up to this many steps the engine's search is the fastest. Beyond, its worst case is the product of both lengths. */
const MAX_NATIVE_STEPS = 1_000_000;
/** A short text takes few steps for each character. */
const MAX_NATIVE_LENGTH = 8;

/** Finds a text in another from a code unit on: the first place, or -1. The time is linear. */
export function findText(text: string, searched: string, from = 0): number {
  return new TextSearch(text, searched).next(from);
}

/** Finds the last place of a text that begins at or before a code unit; -1 if there is none. The time is linear. */
export function findLastText(text: string, searched: string, from: number): number {
  const end = Math.min(from + searched.length, text.length);
  if (end < searched.length) return -1;
  if (isQuickSearch(text, searched)) return text.lastIndexOf(searched, from);
  const found = new TextSearch(reversed(text.slice(0, end)), reversed(searched)).next(0);
  return found < 0 ? -1 : end - found - searched.length;
}

/** Reports whether the engine's search takes no more than linear time, or few steps. */
export function isQuickSearch(text: string, searched: string): boolean {
  return searched.length <= MAX_NATIVE_LENGTH || text.length * searched.length <= MAX_NATIVE_STEPS;
}

function reversed(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().reverse().toString('utf16le');
}

/** Finds the places of a text, which is not empty, in another one. All places together take linear time. */
export class TextSearch {
  readonly #text: string;
  readonly #searched: string;
  /** Undefined for a search that the engine does. */
  readonly #borders: Int32Array | undefined;

  constructor(text: string, searched: string) {
    this.#text = text;
    this.#searched = searched;
    this.#borders = isQuickSearch(text, searched) ? undefined : bordersOf(searched);
  }

  /** The first place from a code unit on; -1 if there is none. */
  next(from: number): number {
    const borders = this.#borders;
    if (borders === undefined) return this.#text.indexOf(this.#searched, from);
    const { length } = this.#searched;
    let matched = 0;
    for (let at = from; at < this.#text.length; at++) {
      const unit = this.#text.charCodeAt(at);
      while (matched > 0 && unit !== this.#searched.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
      if (unit === this.#searched.charCodeAt(matched)) matched++;
      if (matched === length) return at - length + 1;
    }
    return -1;
  }
}

/** By length of a beginning: the length of its longest end that is a beginning too. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
