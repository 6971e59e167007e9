import { isMarker } from './yaml-marker.js';

/** Our parser's fault of a line in brackets or quotes that is less indented than the node. Upstream takes it. */
const NOT_INDENTED = 'deficient indentation';
/** Its fault of an escape, of which upstream takes one: that of a single quote. */
const UNKNOWN_ESCAPE = 'unknown escape sequence';

/** Maximum number of spaces to add at once. */
const MAX_SPACES = 512 * 1024;
/** The start of a line up to its first token, nested sequences included. */
const BEFORE_TOKEN = /^[ ?-]*/gm;
/** A text in double quotes up to its end. */
const REST_OF_TEXT = /(?:[^"\\]+|\\.)*/sy;
/** A line behind which the brackets and quotes are those before it. */
const SAME_BRACKETS = /[^[\]{}"'#\r\n]*(?:\r\n?|\n)/y;

/**
 * A text that our parser takes in place of one that upstream takes, given the fault of our parser and its place. It
 * may have another fault. Undefined if upstream finds a fault there, too. Numbers of lines stay.
 */
export function lenient(source: string, reason: string, position: number): string | undefined {
  if (reason === NOT_INDENTED) return withIndentation(source, position);
  if (reason === UNKNOWN_ESCAPE) return source[position] === "'" ? withBareQuotes(source, position) : undefined;
  return source[position] === '#' && /\S/.test(source[position - 1] ?? ' ') ? withBlank(source, position) : undefined;
}

/** The text with a blank before a comment. Upstream needs none behind quotes and brackets. */
function withBlank(source: string, position: number): string {
  return `${source.slice(0, position)} ${source.slice(position)}`;
}

/** The text without the escapes of single quotes up to the end of the text in double quotes. */
function withBareQuotes(source: string, position: number): string {
  const start = position - 1;
  REST_OF_TEXT.lastIndex = start;
  const [rest = ''] = REST_OF_TEXT.exec(source) ?? [];
  const bare = rest.replace(/\\(.)/gs, (written, character) => (character === "'" ? character : written));
  return source.slice(0, start) + bare + source.slice(start + rest.length);
}

/**
 * The text with spaces before the line of a place, which is in brackets or quotes, and before the lines that certainly
 * are there, too. Undefined behind a tab, if no token begins there, or for too many spaces.
 */
function withIndentation(source: string, position: number): string | undefined {
  const end = source.trimEnd().length;
  const isEnd = (place: number) => place >= end || isMarker(source, place);
  if (isEnd(position)) return undefined;
  const start = 1 + Math.max(source.lastIndexOf('\n', position - 1), source.lastIndexOf('\r', position - 1));
  // In brackets, upstream refuses some tabs.
  if (source.slice(start, position).includes('\t')) return undefined;
  const starts = [start];
  SAME_BRACKETS.lastIndex = start;
  while (SAME_BRACKETS.test(source) && !isEnd(SAME_BRACKETS.lastIndex)) starts.push(SAME_BRACKETS.lastIndex);
  const width = 1 + deepestOf(source.slice(0, start));
  if (width * starts.length > MAX_SPACES) return undefined;
  const spaces = ' '.repeat(width);
  const lines = starts.map((from, i) => `${spaces}${source.slice(from, starts[i + 1])}`);
  return source.slice(0, start) + lines.join('');
}

/** More than the indentation of any node that has begun. */
function deepestOf(text: string): number {
  let deepest = 0;
  for (const [before] of text.matchAll(BEFORE_TOKEN)) deepest = Math.max(deepest, before.length);
  return deepest;
}
