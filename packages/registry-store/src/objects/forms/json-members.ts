const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Walks over the members of a JSON object without parsing any value. The text must be well-formed JSON (it came from an
 * encoder). What lies behind the wanted member costs nothing, and nor does its value unless its end is asked for.
 */
export class JsonMembers {
  /** Offset of the current member: `"name": value`. */
  start = 0;
  /** Offset of its value. */
  valueStart = 0;
  readonly #bytes: Buffer;
  #nameEnd = 0;
  /** Offset behind the value; 0 until somebody asks. */
  #end = 0;

  /** The object opens at `at`. No member is the current one before `next`. */
  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#end = at + 1;
  }

  /** Goes on to the next member; false when there is none. */
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

  /** Offset behind the value. */
  get end(): number {
    if (this.#end === 0) this.#end = skipValue(this.#bytes, this.valueStart);
    return this.#end;
  }

  /** The name as written, without quotes; escapes are left alone. */
  get name(): string {
    return this.#bytes.toString('latin1', this.start + 1, this.#nameEnd - 1);
  }

  /** Whether this is its name, which is ASCII. */
  isNamed(name: string): boolean {
    const from = this.start + 1;
    return this.#nameEnd - 1 - from === name.length && startsWith(this.#bytes, from, name);
  }

  /** Whether its value is this text, which is ASCII and needs no escapes. */
  hasText(text: string): boolean {
    const from = this.valueStart + 1;
    return this.#bytes[from + text.length] === QUOTE && startsWith(this.#bytes, from, text);
  }
}

/** The member of that name, which is ASCII, of the object that opens at `at`. */
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

/** `at` is the opening quote; answers the offset behind the closing one. */
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
