const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Offsets of one member of a JSON object: `"name": value` from `start`, the value from `valueStart` to `end`. */
export interface JsonMember {
  /** As written, without quotes; escapes are left alone. */
  readonly name: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/**
 * The members of the JSON object that opens at `at`, without parsing any value. The text must be well-formed JSON
 * (it came from an encoder); the generator may be left early, so what lies behind the wanted member costs nothing.
 */
export function* jsonMembers(bytes: Buffer, at: number): Generator<JsonMember> {
  let i = skipSpace(bytes, at + 1);
  while (bytes[i] === QUOTE) {
    const nameEnd = skipString(bytes, i);
    const valueStart = skipSpace(bytes, skipSpace(bytes, nameEnd, COLON) + 1);
    const end = skipValue(bytes, valueStart);
    yield { name: bytes.toString('latin1', i + 1, nameEnd - 1), start: i, valueStart, end };
    i = skipSpace(bytes, end);
    if (bytes[i] === COMMA) i = skipSpace(bytes, i + 1);
  }
}

/** The member of that name of the object that opens at `at`. */
export function jsonMember(bytes: Buffer, at: number, name: string): JsonMember | undefined {
  for (const member of jsonMembers(bytes, at)) if (member.name === name) return member;
  return undefined;
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
