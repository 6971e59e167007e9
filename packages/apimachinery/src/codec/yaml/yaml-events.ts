import { EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml';
import { DecodeError } from '../../errors/decode-error.js';
import { withColonsInTexts } from './yaml-flow-colons.js';
import { lenient } from './yaml-leniency.js';
import { goYamlProblem, NO_BLANK } from './yaml-problem.js';

/** Maximum nesting of YAML. Deeper text is rejected before it can exhaust the stack. */
export const MAX_YAML_DEPTH = 1_000;

/** Characters that are read again for upstream's leniency. */
const MAX_READ_AGAIN = 512 * 1024;

/** YAML text and its events. */
export interface ReadYaml {
  /** The text to whose places the events refer. */
  readonly source: string;
  readonly events: readonly Event[];
}

/** Reads the events of YAML text. Throws DecodeError. */
export function readYaml(text: string): ReadYaml {
  let source = text;
  let left = MAX_READ_AGAIN;
  for (;;) {
    try {
      return read(source, source);
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      const { reason, mark } = error;
      left -= source.length;
      const other = mark && left > 0 ? lenient(source, reason, mark.position) : undefined;
      if (other === undefined) return readWhole(source, reason, mark);
      source = other;
    }
  }
}

/** Reads a part of the text. */
function read(source: string, part: string): ReadYaml {
  return { source, events: withColonsInTexts(source, parseEvents(part, { maxDepth: MAX_YAML_DEPTH })) };
}

function readWhole(source: string, reason: string, mark: YAMLException['mark']): ReadYaml {
  const whole = wholeDocument(source, reason, mark?.position ?? 0);
  if (whole !== undefined) return read(source, whole);
  throw yamlError(mark ? goYamlProblem(source, { reason, line: mark.line, position: mark.position }) : reason);
}

/** The text up to the place of an error, if upstream takes it for the whole document and reads no further. */
function wholeDocument(source: string, reason: string, position: number): string | undefined {
  if (reason === NO_BLANK) return leadingQuote(source, position);
  return reason === AFTER_END && isEnded(source, position) ? source.slice(0, position) : undefined;
}

/** Reports whether a collection in brackets, or a quoted text, ends here, and upstream can read the next token. */
function isEnded(source: string, position: number): boolean {
  const before = source.slice(0, position);
  const ended = [before.trimEnd(), withoutComments(before)].find(isWholeRoot);
  if (ended === undefined) return false;
  const blank = before.slice(ended.length);
  if (/\n *\t/.test(blank)) return false;
  const [rest = ''] = source.slice(position).split('\n', 1);
  if (LONE_QUOTE.test(source.slice(position))) return true;
  return blank.includes('\n') ? !/^["'@`%|>\t]/.test(rest) : !/^["'@`%|>\t?-]|:(?:\s|$)/.test(rest);
}

/** A quoted text without odd escapes, and nothing but blanks up to the end of the text or a plain one. */
const LONE_QUOTE = /^(?:"(?:[^"\\\r\n]|\\["\\nrt])*"|'[^'\r\n]*')[ ]*(?:$|\n\w)/;

function isWholeRoot(text: string): boolean {
  const root = text
    .slice(startOfDocument(text))
    .replace(/^---\s/, '')
    .trim();
  const isClosed = root.startsWith('{') ? root.endsWith('}') : root.startsWith('[') && root.endsWith(']');
  return isClosed || QUOTED_ALONE.test(root);
}

/** A comment that is alone in its line, or behind a quote or a bracket. */
const COMMENT = /(?:^|(?<=["'\]}]))[ \t]*#/;

/** A text without the blanks and comments at its end. There may be a million of them. */
function withoutComments(text: string): string {
  let end = text.trimEnd().length;
  for (;;) {
    const start = startOfLine(text, end);
    const comment = COMMENT.exec(text.slice(start, end));
    if (comment === null) return text.slice(0, end);
    end = text.slice(0, start + comment.index).trimEnd().length;
    if (comment.index > 0) return text.slice(0, end);
  }
}

function startOfLine(text: string, position: number): number {
  let start = position;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  return start;
}

const QUOTED_ALONE = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')$/s;
const AFTER_END = 'end of the stream or a document separator is expected';

/** A quoted text before a colon, with what may precede a document. */
const QUOTED = /^(?:\s|#[^\n]*\n|---\s)*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*')(?=[ \t]*:$)/;

/**
 * The text up to a quoted one that no blank after its colon makes a key: upstream takes it for the whole document, and
 * reads no further.
 */
function leadingQuote(source: string, position: number): string | undefined {
  const rest = source.slice(position).split('\n', 1)[0] ?? '';
  return /:(?:\s|$)/.test(rest) ? undefined : QUOTED.exec(source.slice(0, position))?.[0];
}

/** An error in upstream's form. */
export function yamlError(message: string): DecodeError {
  return new DecodeError('syntax', `yaml: ${message}`);
}

/** A line that ends a document, whatever is still open. */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;

/** A line before the marker that begins the first document: a directive, a comment or an empty line. */
const LINE_BEFORE_DOCUMENT = /(?:%[^\r\n]*|[ \t]*(?:#[^\r\n]*)?)(?:\r\n?|\n)/y;

/** The start of the first document, including its marker if it has one. */
function startOfDocument(text: string): number {
  LINE_BEFORE_DOCUMENT.lastIndex = text.startsWith('\ufeff') ? 1 : 0;
  let start = LINE_BEFORE_DOCUMENT.lastIndex;
  while (LINE_BEFORE_DOCUMENT.test(text)) start = LINE_BEFORE_DOCUMENT.lastIndex;
  return start;
}

/** A directive of another version than 1.1. */
const OTHER_VERSION = /^%YAML[ \t]+(?!0*1\.0*1[ \t\r\n])\d+\.\d+/m;

/** A line that begins with a tab, where a token is expected. */
const TAB = /^ *\t/my;
const LINES_WITH_TABS = /^ *\t/m;

/** Throws for a tab at the start of a line up to the first token. */
function checkTabs(text: string, start: number): void {
  const lines = LINES_WITH_TABS.exec(text.slice(0, start));
  TAB.lastIndex = start;
  const at = lines?.index ?? (TAB.test(text) ? start : undefined);
  if (at === undefined) return;
  const line = text.slice(0, at).split(/\r\n?|\n/).length;
  throw yamlError(`${line > 1 ? `line ${line}: ` : ''}found character that cannot start any token`);
}

/** Throws for what our parser takes before the first document, and upstream does not. */
function checkBeginning(text: string, start: number): void {
  checkTabs(text, start);
  if (start > 0 && OTHER_VERSION.test(text.slice(0, start))) throw yamlError('found incompatible YAML document');
  const endsAtOnce = text.startsWith('...', start) && /^[ \t\r\n]?$/.test(text.charAt(start + 3));
  if (endsAtOnce && !/^%/m.test(text.slice(0, start))) throw yamlError('did not find expected node content');
}

/**
 * The text up to the marker after the first document. Upstream never reads beyond it. Throws DecodeError for a wrong
 * beginning.
 */
export function upToSecondDocument(text: string): string {
  const start = startOfDocument(text);
  checkBeginning(text, start);
  MARKER.lastIndex = text.startsWith('---', start) ? start + 3 : start;
  const marker = MARKER.exec(text);
  return marker === null ? text : text.slice(0, marker.index + marker[0].length);
}

/** The events between the first document's start and its end. */
export function firstDocument(events: readonly Event[]): readonly Event[] {
  const next = events.findIndex((event, i) => i > 0 && event.type === EVENT_ID.DOCUMENT);
  return events.slice(1, next === -1 ? undefined : next);
}
