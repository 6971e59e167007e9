/** Cost of compiling one Unicode class, in usual instructions. */
const UNICODE_CLASS = 3;
const GROUP = 2;
/** Maximum count of a repetition: patterns with a greater one are wrong. */
const MAX_COUNT = 1_000;

const REPETITION = /\{(\d+)(?:(,)(\d*))?\}/y;
const ESCAPE = /\\(?:[pPx]\{[^}]{0,40}\}|[pP]?.)/sy;
const NAMED_CLASS = /\[:\^?\w{1,10}:\]/y;

/**
 * The instructions read so far, in one alternative of one group. The last part counts separately: it may be repeated.
 */
interface Size {
  before: number;
  last: number;
}

/**
 * Estimates the number of instructions that a pattern compiles to, in time linear in its text. Wrong patterns have any
 * size.
 *
 * A repetition compiles to copies, so a few thousand characters can have millions of instructions.
 */
export function patternSize(pattern: string): number {
  const outer: Size[] = [];
  let size: Size = { before: 0, last: 0 };
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at];
    if (character === '(') {
      outer.push(size);
      size = { before: 0, last: 0 };
    } else if (character === ')') {
      const inside = size.before + size.last + GROUP;
      size = outer.pop() ?? { before: 0, last: 0 };
      append(size, inside);
    } else {
      const length = repeat(size, pattern, at) ?? readPart(size, pattern, at);
      at += length;
      continue;
    }
    at++;
  }
  return outer.reduce((sum, { before, last }) => sum + before + last, size.before + size.last);
}

/**
 * Repeats the last part as often as `{n,m}` at this place says. Returns the length of that; undefined for anything
 * else.
 */
function repeat(size: Size, pattern: string, at: number): number | undefined {
  const found = pattern[at] === '{' ? matchAt(REPETITION, pattern, at) : undefined;
  if (found === undefined) return undefined;
  const [text, least, comma, most = ''] = found;
  const count = most === '' ? Number(least) + (comma === undefined ? 0 : 1) : Number(most);
  size.last *= Math.min(Math.max(1, count), MAX_COUNT + 1);
  return text.length;
}

/** Reads a character, an escape, a quotation or a class. Returns its length. */
function readPart(size: Size, pattern: string, at: number): number {
  if (pattern.startsWith('\\Q', at)) {
    const end = pattern.indexOf('\\E', at + 2);
    const length = (end < 0 ? pattern.length : end + 2) - at;
    append(size, length);
    return length;
  }
  const length = pattern[at] === '[' ? bracketLength(pattern, at) : (matchAt(ESCAPE, pattern, at)?.[0].length ?? 1);
  append(size, /\\[pP]/.test(pattern.slice(at, at + length)) ? UNICODE_CLASS : 1);
  return length;
}

/** The length of a class in brackets; all that is left for one without an end. */
function bracketLength(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === '^' ? 2 : 1);
  if (pattern[at] === ']') at++;
  while (at < pattern.length && pattern[at] !== ']') {
    if (pattern[at] === '\\') at += 2;
    else at += matchAt(NAMED_CLASS, pattern, at)?.[0].length ?? 1;
  }
  return Math.min(at + 1, pattern.length) - start;
}

function append(size: Size, instructions: number): void {
  size.before += size.last;
  size.last = instructions;
}

function matchAt(rule: RegExp, text: string, at: number): RegExpExecArray | undefined {
  rule.lastIndex = at;
  return rule.exec(text) ?? undefined;
}
