import type { TimeSlice } from '@apiserver/apimachinery/clock';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  parseJsonText,
  QUOTE,
} from '@apiserver/apimachinery/codec/json';

/** Upstream accepts ten times as many. The readers of the parts call themselves at each level. */
const MAX_DEPTH = 1_000;
/** Maximum members of an object that is split, unless the caller knows better. */
const MAX_MEMBERS = 20_000;
/** Maximum length of a part. Parsing it is the longest turn of a document. */
const MAX_LENGTH = 128 * 1024;
/** Characters between two looks at the clock. */
const STEP = 1 << 15;

/** A member of a JSON object, and where its value is in the text. */
export interface MemberRange {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the members of the JSON object in a part of a text, in slices. Does not look into the values: whoever parses
 * them finds their faults. Throws a TypeError or SyntaxError for anything but an object.
 */
export async function memberRanges(
  text: string,
  slice: TimeSlice,
  { start, end }: Omit<MemberRange, 'name'> = { start: 0, end: text.length },
  maxMembers = MAX_MEMBERS,
): Promise<readonly MemberRange[]> {
  const split = new Split(text, { start, end, maxMembers });
  while (!split.next()) if (slice.over) await slice.yield();
  return split.members;
}

/** The value of a member. Throws a TypeError or SyntaxError for a value that is not JSON, or too long. */
export function parsedMember(text: string, { name, start, end }: MemberRange): unknown {
  if (end - start > MAX_LENGTH) throw new TypeError(`the value of ${JSON.stringify(name.slice(0, 100))} is too long`);
  return parseJsonText(text.slice(start, end));
}

class Split {
  readonly members: MemberRange[] = [];
  readonly #text: string;
  readonly #end: number;
  readonly #maxMembers: number;
  #at: number;
  #depth = 0;
  #quoted = false;
  /** The start of the present member. */
  #from: number;
  /** The colon of the present member; -1 before it. */
  #colon = -1;

  constructor(text: string, { start, end, maxMembers }: Omit<MemberRange, 'name'> & { readonly maxMembers: number }) {
    this.#text = text;
    this.#end = end;
    this.#maxMembers = maxMembers;
    this.#at = start + (/^[ \t\r\n]*/.exec(text.slice(start, Math.min(end, start + 1_000)))?.[0].length ?? 0);
    if (text[this.#at] !== '{') throw new TypeError('an object is expected');
    this.#from = this.#at + 1;
  }

  /** Reads on for a while. True: the object has ended. */
  next(): boolean {
    const stop = Math.min(this.#end, this.#at + STEP);
    while (this.#at < stop) {
      const code = this.#text.charCodeAt(this.#at);
      if (this.#quoted) this.#inQuotes(code);
      else if (this.#outside(code)) return this.#finish();
      this.#at++;
    }
    if (this.#at >= this.#end) throw new SyntaxError('unexpected end of the object');
    return false;
  }

  #inQuotes(code: number): void {
    if (code === BACKSLASH) this.#at++;
    else if (code === QUOTE) this.#quoted = false;
  }

  /** True at the end of the object. */
  #outside(code: number): boolean {
    if (code === QUOTE) this.#quoted = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#open();
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      this.#depth--;
      return this.#depth === 0;
    } else if (this.#depth === 1 && code === COLON && this.#colon < 0) this.#colon = this.#at;
    else if (this.#depth === 1 && code === COMMA) this.#add();
    return false;
  }

  #open(): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) throw new TypeError('exceeded max depth');
  }

  #add(): void {
    const name = parseJsonText(this.#text.slice(this.#from, Math.max(this.#colon, this.#from)));
    if (typeof name !== 'string') throw new TypeError('a name is expected');
    if (this.members.length === this.#maxMembers) throw new TypeError('too many members');
    this.members.push({ name, start: this.#colon + 1, end: this.#at });
    this.#from = this.#at + 1;
    this.#colon = -1;
  }

  #finish(): true {
    const isEmpty = this.members.length === 0 && this.#text.slice(this.#from, this.#at).trim() === '';
    if (!isEmpty) this.#add();
    if (this.#text.slice(this.#at + 1, this.#end).trim() !== '') throw new SyntaxError('text after the object');
    return true;
  }
}
