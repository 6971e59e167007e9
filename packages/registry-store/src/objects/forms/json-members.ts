// Not imported from apimachinery/codec/json: V8 does not fold an imported constant into its loops.
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Iterates over the members of a JSON object without parsing values. The text must be well-formed JSON (from an
 * encoder). Members after the wanted one cost nothing, and neither does its value unless `end` is read.
 */
export class JsonMembers {
  /** Offset of the current member: `"name": value`. */
  start = 0;
  /** Offset of its value. */
  valueStart = 0;
  readonly #bytes: Buffer;
  #nameEnd = 0;
  /** Offset after the value; 0 until it is needed. */
  #end = 0;

  /** The object opens at `at`. There is no current member before `next`. */
  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#end = at + 1;
  }

  /** Advances to the next member; false if there is none. */
  next(): boolean {
    const bytes = this.#bytes;
    let i = skipSpace(bytes, this.end);
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1);
    if (bytes[i] !== QUOTE) return false;
    this.start = i;
    this.#nameEnd = skipString(bytes, i);
    this.valueStart = skipSpace(bytes, skipSpace(bytes, this.#nameEnd, COLON) + 1);
    this.#end = 0;
    return true;
  }

  /** Offset after the value. */
  get end(): number {
    if (this.#end === 0) this.#end = skipValue(this.#bytes, this.valueStart);
    return this.#end;
  }

  /** The name as written, without quotes and without resolving escapes. */
  get name(): string {
    return this.#bytes.toString('latin1', this.start + 1, this.#nameEnd - 1);
  }

  /** Reports whether it has this name, which must be ASCII. */
  isNamed(name: string): boolean {
    const from = this.start + 1;
    return this.#nameEnd - 1 - from === name.length && startsWith(this.#bytes, from, name);
  }

  /** Reports whether its value is this text, which must be ASCII without escapes. */
  hasText(text: string): boolean {
    const from = this.valueStart + 1;
    return this.#bytes[from + text.length] === QUOTE && startsWith(this.#bytes, from, text);
  }
}

/** The member with an ASCII name of the object that opens at `at`. */
export function jsonMember(bytes: Buffer, at: number, name: string): JsonMembers | undefined {
  const members = new JsonMembers(bytes, at);
  while (members.next()) if (members.isNamed(name)) return members;
  return undefined;
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function skipSpace(bytes: Buffer, at: number, until?: number): number {
  let i = at;
  while (i < bytes.length && (bytes[i] as number) <= 0x20 && bytes[i] !== until) i++;
  return i;
}

/** `at` is the opening quote; returns the offset after the closing one. */
function skipString(bytes: Buffer, at: number): number {
  let i = at + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i + 1;
}

function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(bytes, at);
  let i = at;
  while (i < bytes.length && bytes[i] !== COMMA && bytes[i] !== CLOSE_BRACE && bytes[i] !== CLOSE_BRACKET) i++;
  return i;
}

function skipContainer(bytes: Buffer, at: number): number {
  let depth = 0;
  let i = at;
  do {
    const c = bytes[i];
    if (c === QUOTE) {
      i = skipString(bytes, i);
      continue;
    }
    if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--;
    i++;
  } while (depth > 0 && i < bytes.length);
  return i;
}
