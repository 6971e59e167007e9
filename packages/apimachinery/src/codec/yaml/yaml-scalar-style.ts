import { isYamlText } from './yaml-text-kind.js';

/** The style of a text. */
export type YamlStyle = 'plain' | 'single' | 'double' | 'literal';

/** Length from which text is searched natively; for fewer characters a loop costs less. */
export const LONG_TEXT = 256;

/**
 * The style of a text: plain where it reads back as the same text, literal when it has line breaks, else quoted.
 * `isKey` is true before a colon.
 *
 * Upstream: go.yaml.in/yaml/v2 encode.go and emitterc.go
 */
export function yamlStyle(text: string, isKey: boolean): YamlStyle {
  const allowed = text.length < LONG_TEXT ? analyze(text) : analyzeLong(text);
  if (allowed.isLiteral) return allowed.block && !isKey ? 'literal' : 'double';
  if (text === '' || !isYamlText(text)) return 'double';
  if (allowed.plain) return 'plain';
  return allowed.single ? 'single' : 'double';
}

/** Maximum bytes of a key before a colon without `?`. */
export const MAX_SIMPLE_KEY_LENGTH = 128;

/** Reports whether the text may precede a colon without `?`. */
export function isSimpleKey(text: string): boolean {
  if (text.length > MAX_SIMPLE_KEY_LENGTH || BREAK.test(text)) return false;
  return text.length <= MAX_SIMPLE_KEY_LENGTH / 3 || Buffer.byteLength(text) <= MAX_SIMPLE_KEY_LENGTH;
}

/** The styles that a text allows besides double quotes. */
interface Allowed {
  /** True if it has line feeds. */
  readonly isLiteral: boolean;
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
}

const BREAK = /[\n\r\u0085\u2028\u2029]/;

/** Characters that do not begin plain text: never, or not before a blank or the end. */
const INDICATORS = asciiTable('#,[]{}&*!|>\'"%@`');
const INDICATORS_ALONE = asciiTable('?:-');

function asciiTable(characters: string): Uint8Array {
  return new Uint8Array(128).map((_, c) => (characters.includes(String.fromCharCode(c)) ? 1 : 0));
}

/** Reports whether text begins with an indicator. */
function isIndicated(text: string): boolean {
  const first = text.charCodeAt(0);
  if (INDICATORS[first] === 1) return true;
  if (INDICATORS_ALONE[first] === 1 && (text.length === 1 || text[1] === ' ' || text[1] === '\t')) return true;
  return text.startsWith('---') || text.startsWith('...');
}

/** Text inside which a comment or a value would begin. A tab would also start one, but tabs are escaped. */
const CUT = /: | #/;

/** A character that needs an escape, or a blank before a line break. */
const SPECIAL = /[^\n -~\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]| [\n\u2028\u2029]/;

/** The same for ASCII text; this search takes half the time. */
const SPECIAL_ASCII = /[^\n -~]| \n/;

const SEPARATOR = /[\u2028\u2029]/;

/** Searches the whole text natively. */
function analyzeLong(text: string): Allowed {
  const isAscii = Buffer.byteLength(text) === text.length;
  const special = isAscii ? isSpecialAscii(text) : SPECIAL.test(text);
  const edges = text.startsWith(' ') || text.endsWith(' ');
  const isSeparated = !isAscii && SEPARATOR.test(text);
  const isCut = isIndicated(text) || text.endsWith(':') || (text.includes(' ') && CUT.test(text));
  return {
    isLiteral: text.includes('\n'),
    plain: !special && !isSeparated && !edges && !isCut,
    single: !special && !(isSeparated && /[\u2028\u2029] /.test(text)),
    block: !special && !text.endsWith(' '),
  };
}

/** JavaScript's writer of JSON scans many characters at a time: it is the fastest test for text without escapes. */
function isSpecialAscii(text: string): boolean {
  if (text.includes('"') || text.includes('\\')) return SPECIAL_ASCII.test(text);
  if (JSON.stringify(text).length === text.length + 2) return text.includes('\u007f');
  return SPECIAL_ASCII.test(text);
}

/** One loop over the text. */
function analyze(text: string): Allowed {
  let isLiteral = false;
  let multiline = false;
  let special = false;
  let breakSpace = false;
  let indicators = isIndicated(text);
  let previous = -1;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x20) {
      if (isBreak(previous)) breakSpace = true;
      if (previous === 0x3a) indicators = true;
    } else if (c === 0x23) {
      if (previous === 0x20) indicators = true;
    } else if (c < 0x20 || c > 0x7e) {
      if (isBreak(c)) {
        multiline = true;
        if (c === 0x0a) isLiteral = true;
        if (previous === 0x20) special = true;
      }
      if (!isPrintable(c)) special = true;
    }
    previous = c;
  }
  if (previous === 0x3a) indicators = true;
  const edges = isBlankOrBreak(text.charCodeAt(0)) || isBlankOrBreak(previous);
  return {
    isLiteral,
    plain: !multiline && !special && !edges && !indicators,
    single: !special && !breakSpace,
    block: !special && previous !== 0x20,
  };
}

function isBlankOrBreak(c: number): boolean {
  return c === 0x20 || isBreak(c);
}

function isBreak(c: number): boolean {
  return c === 0x0a || c === 0x0d || c === 0x85 || c === 0x2028 || c === 0x2029;
}

/**
 * For characters beyond ASCII. Tabs, carriage returns and everything beyond the basic plane are not printable here;
 * separators are.
 */
function isPrintable(c: number): boolean {
  if (c < 0xa0) return c === 0x0a;
  return c <= 0xd7ff || (c >= 0xe000 && c <= 0xfefe) || (c >= 0xff00 && c <= 0xfffd);
}
