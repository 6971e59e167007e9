import { isMarker } from './yaml-marker.js';

/** A syntax error of js-yaml: the missing token, and where the parser noticed. Lines and columns count from 0. */
export interface YamlSyntaxError {
  readonly reason: string;
  readonly line: number;
  readonly position: number;
}

/** An error in upstream's words. Errors of its scanner count lines from 1, those of its grammar from 0, as upstream. */
interface Problem {
  readonly text: string;
  readonly from: 'scanner' | 'grammar' | 'reader';
  /** Counts from 0. */
  readonly line: number;
}

/**
 * The message of a syntax error from Go's YAML library. The two libraries detect errors differently: common ones get
 * Go's message and line, all others js-yaml's.
 *
 * Upstream: parser.fail of go.yaml.in/yaml/v2
 */
export function goYamlProblem(source: string, error: YamlSyntaxError): string {
  const problem = problemOf(source, error);
  if (problem === undefined) return `line ${error.line + 1}: ${error.reason}`;
  const { text, from, line } = problem;
  if (from === 'reader' || line === 0) return text;
  return `line ${from === 'scanner' ? line + 1 : line}: ${text}`;
}

const IN_QUOTES = 'found unexpected document indicator';
const NO_TOKEN = 'found character that cannot start any token';
const NO_END = 'found unexpected end of stream';
const NO_BREAK = 'did not find expected comment or line break';
const NO_NODE = 'did not find expected node content';
const NO_NAME = 'did not find expected alphabetic or numeric character';
const NO_VALUE_HERE = 'mapping values are not allowed in this context';

/** The reason of js-yaml for a colon without a blank. */
export const NO_BLANK = 'a whitespace character is expected after the key-value separator within a block mapping';

/** Errors that both libraries detect at the same place. */
const SCANNER_PROBLEMS: Readonly<Record<string, string>> = {
  'tab characters must not be used in indentation': NO_TOKEN,
  'unexpected end of the document within a double quoted scalar': IN_QUOTES,
  'unexpected end of the document within a single quoted scalar': IN_QUOTES,
  'unknown escape sequence': 'found unknown escape character',
  'expected hexadecimal character': 'did not find expected hexdecimal number',
  'a line break is expected': NO_BREAK,
  'name of an anchor node must contain at least one character': NO_NAME,
  'name of an alias node must contain at least one character': NO_NAME,
};

function problemOf(source: string, { reason, line, position }: YamlSyntaxError): Problem | undefined {
  const scanner = SCANNER_PROBLEMS[reason];
  if (scanner !== undefined) return { text: scanner, from: 'scanner', line };
  switch (reason) {
    case 'the stream contains non-printable characters':
      return { text: 'control characters are not allowed', from: 'reader', line };
    case 'unacceptable YAML version of the document':
      return { text: 'found incompatible YAML document', from: 'grammar', line: 0 };
    case "expected ':' after a mapping key":
    case 'can not read a block mapping entry; a multiline key may not be an implicit key':
      return { text: "could not find expected ':'", from: 'scanner', line: nextTokenLine(source, position) };
    case NO_BLANK:
    case 'bad indentation of a mapping entry':
    case 'bad indentation of a sequence entry':
      return misplaced(source, position, line) ?? { text: 'did not find expected key', from: 'grammar', line };
    case 'end of the stream or a document separator is expected':
      return problemAfterEnd(source, position, line);
    case "expected the node content, but found ','":
      return { text: NO_NODE, from: 'grammar', line };
    case 'unexpected end of the stream within a double quoted scalar':
    case 'unexpected end of the stream within a single quoted scalar':
      return unended(source);
    case 'missed comma between flow collection entries':
    case 'unexpected end of the stream within a flow collection':
    case 'deficient indentation':
      return unclosed(source, position, line);
    default:
      return undefined;
  }
}

/** Text that ends with a quoted text or a flow collection. */
const ENDED = /["'\]}]\s*$/;

/** The error of a misplaced token; at the start of a line it is only a missing key. */
function misplaced(source: string, position: number, line: number): Problem | undefined {
  const char = source[position] ?? '';
  if (char !== '' && '@`%\t'.includes(char)) return { text: NO_TOKEN, from: 'scanner', line };
  if (char !== '' && '|>'.includes(char)) return { text: NO_BREAK, from: 'scanner', line };
  if (/(?:^|\n)[ ]*$/.test(source.slice(0, position))) return undefined;
  if (char === ':' && /^:(?:\s|$)/.test(source.slice(position, position + 2))) {
    return { text: NO_VALUE_HERE, from: 'scanner', line };
  }
  if (char !== '' && ']},'.includes(char)) {
    return ENDED.test(source.slice(0, position)) ? undefined : { text: NO_NODE, from: 'grammar', line };
  }
  if (char === '-' && /^-(?:\s|$)/.test(source.slice(position, position + 2))) {
    return { text: 'block sequence entries are not allowed in this context', from: 'scanner', line };
  }
  return undefined;
}

function problemAfterEnd(source: string, position: number, line: number): Problem {
  if (source.startsWith('\t')) return { text: NO_TOKEN, from: 'scanner', line: 0 };
  const found = misplaced(source, position, line);
  if (found !== undefined) return found;
  if (/^\s*-\s/.test(source)) return { text: "did not find expected '-' indicator", from: 'grammar', line };
  if (']},'.includes(source[position] ?? ' ') && /(?:^|:)\s*$/.test(source.slice(0, position))) {
    return { text: NO_NODE, from: 'grammar', line };
  }
  const isMapping = /^[^\s{[#-][^\n]*:(?:\s|$)/.test(source);
  const text = isMapping ? 'did not find expected key' : 'did not find expected <document start>';
  return { text, from: 'grammar', line };
}

/** The error of an open quote or bracket: at the end of the text, or where another token begins. */
function unclosed(source: string, position: number, line: number): Problem | undefined {
  const char = source[position] ?? '';
  if (char !== '' && '@`%|>\t'.includes(char)) return { text: NO_TOKEN, from: 'scanner', line };
  if ((char === '"' || char === "'") && !source.slice(position + 1).includes(char)) {
    return unended(source);
  }
  const { quoted, brackets, last } = openAt(source, position);
  const isAtEnd = source.slice(position).trim() === '';
  const end = isAtEnd ? lastLine(source) : line;
  if (quoted) {
    return isMarker(source, position) ? { text: IN_QUOTES, from: 'scanner', line } : unended(source);
  }
  const bracket = brackets.at(-1);
  if (bracket === undefined) return undefined;
  if ('[{,:'.includes(last)) return { text: NO_NODE, from: 'grammar', line: end };
  const close = bracket === '[' ? ']' : '}';
  return { text: `did not find expected ',' or '${close}'`, from: 'grammar', line: end };
}

interface Open {
  readonly quoted: boolean;
  readonly brackets: readonly string[];
  /** The last significant character. */
  readonly last: string;
}

/** A quoted text without an end extends to the end of the document. */
function unended(source: string): Problem {
  return { text: NO_END, from: 'scanner', line: lineOf(source, source.length) };
}

/** The open brackets before `position`, and whether a quoted text is open. */
function openAt(source: string, position: number): Open {
  const brackets: string[] = [];
  let quote = '';
  let last = '';
  for (let at = 0; at < position && at < source.length; at++) {
    const char = source[at] ?? '';
    if (quote !== '') {
      if (char === '\\' && quote === '"') at++;
      else if (char === quote) quote = '';
      continue;
    }
    const begins = last === '' || /[\s[{,:]/.test(source[at - 1] ?? ' ');
    if (char === '#' && begins) {
      const end = source.indexOf('\n', at);
      at = end === -1 ? source.length : end;
    } else if ((char === '"' || char === "'") && begins) quote = char;
    else if ((char === '[' || char === '{') && (begins || brackets.length > 0)) brackets.push(char);
    else if ((char === ']' || char === '}') && brackets.length > 0) brackets.pop();
    if (char.trim() !== '' && char !== '#') last = char;
  }
  return { quoted: quote !== '', brackets, last };
}

/** The line of the next token after `position`, skipping blanks and comments. */
function nextTokenLine(source: string, position: number): number {
  const skipped = /^(?:\s+|#[^\n]*)*/.exec(source.slice(position))?.[0].length ?? 0;
  const at = position + skipped;
  return at >= source.length ? lastLine(source) : lineOf(source, at);
}

function lineOf(source: string, position: number): number {
  let line = 0;
  for (let at = source.indexOf('\n'); at !== -1 && at < position; at = source.indexOf('\n', at + 1)) line++;
  return line;
}

/** The last line of the text; upstream terminates the last one itself. */
function lastLine(source: string): number {
  const line = lineOf(source, source.length);
  return source.endsWith('\n') ? line : line + 1;
}
