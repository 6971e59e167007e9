import { isYamlBase60, resolveYamlScalar } from './yaml-scalar.js';

/** How a piece of text is written. */
export type YamlStyle = 'plain' | 'single' | 'double' | 'literal';

/**
 * The style of a text: plain where it reads back as the same text, literal when it has line breaks, else quoted.
 * `isKey` is the place before a colon.
 *
 * Upstream: go.yaml.in/yaml/v2 encode.go and emitterc.go
 */
export function yamlStyle(text: string, isKey: boolean): YamlStyle {
  const allowed = analyze(text);
  let style = wantedStyle(text);
  if (style === 'plain' && (!allowed.plain || (isKey && (text === '' || allowed.multiline)))) style = 'single';
  if (style === 'single' && !allowed.single) style = 'double';
  if (style === 'literal' && (!allowed.block || isKey)) style = 'double';
  return style;
}

/** Letters, digits and what stands between them in names, paths and images; ends with none that needs a look. */
const WORD = /^[A-Za-z_/](?:[\w./:-]*[\w./-])?$/;

/** Longer words of YAML 1.1 there are none. */
const LONGEST_YAML_WORD = 5;

/** True for most keys, names and images: text without blanks that is certainly plain. A quick check only. */
export function isPlainWord(text: string): boolean {
  return WORD.test(text) && (text.length > LONGEST_YAML_WORD || resolveYamlScalar(text).tag === 'str');
}

/** Bytes of a key that may stand before a colon without `?`. */
const LONGEST_SIMPLE_KEY = 128;

/** Whether the text may stand before a colon without `?`. */
export function isSimpleKey(text: string): boolean {
  if (text.length > LONGEST_SIMPLE_KEY || BREAK.test(text)) return false;
  return text.length <= LONGEST_SIMPLE_KEY / 3 || Buffer.byteLength(text) <= LONGEST_SIMPLE_KEY;
}

/** Decimal digits that 64 bits hold. */
const SHORT_NUMBER = /^[0-9]{1,18}$/;

function wantedStyle(text: string): YamlStyle {
  if (SHORT_NUMBER.test(text)) return 'double';
  if (text.includes('\n')) return 'literal';
  return resolveYamlScalar(text).tag === 'str' && !isYamlBase60(text) ? 'plain' : 'double';
}

interface Allowed {
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
  readonly multiline: boolean;
}

const BREAK = /[\n\r\u0085\u2028\u2029]/;

/** Text that begins as something else than text. */
const INDICATOR = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:$|[ \t]))/;

const PRINTABLE_ASCII = /^[ -~]*$/;

/** The same as below by native searches: nearly all long texts are such. */
function analyzeAscii(text: string): Allowed {
  const isCut = text.indexOf(': ', 1) > 0 || text.includes(' #') || (text.length > 1 && text.endsWith(':'));
  const edges = text.startsWith(' ') || text.endsWith(' ');
  return {
    plain: !edges && !isCut && !INDICATOR.test(text),
    single: true,
    block: !text.endsWith(' '),
    multiline: false,
  };
}

/** One pass over the text, however long it is. */
function analyze(text: string): Allowed {
  if (text === '') return { plain: true, single: true, block: false, multiline: false };
  if (PRINTABLE_ASCII.test(text)) return analyzeAscii(text);
  let multiline = false;
  let special = false;
  let breakSpace = false;
  let indicators = INDICATOR.test(text);
  let previous = -1;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x20) {
      if (isBreak(previous)) breakSpace = true;
      if (previous === 0x3a && i > 1) indicators = true;
    } else if (c === 0x23) {
      if (previous === 0x20 || previous === 0x09) indicators = true;
    } else if (c < 0x20 || c > 0x7e) {
      if (isBreak(c)) {
        multiline = true;
        if (previous === 0x20) special = true;
      }
      if (c === 0x09 && previous === 0x3a && i > 1) indicators = true;
      if (!isPrintable(c)) special = true;
    }
    previous = c;
  }
  if (previous === 0x3a && text.length > 1) indicators = true;
  const edges = isBlankOrBreak(text.charCodeAt(0)) || isBlankOrBreak(previous);
  return {
    plain: !multiline && !special && !edges && !indicators,
    single: !special && !breakSpace,
    block: !special && previous !== 0x20,
    multiline,
  };
}

function isBlankOrBreak(c: number): boolean {
  return c === 0x20 || isBreak(c);
}

function isBreak(c: number): boolean {
  return c === 0x0a || c === 0x0d || c === 0x85 || c === 0x2028 || c === 0x2029;
}

/** Of what is not ASCII. Tabs, carriage returns and everything beyond the basic plane are not printable here; separators are. */
function isPrintable(c: number): boolean {
  if (c < 0xa0) return c === 0x0a;
  return c <= 0xd7ff || (c >= 0xe000 && c <= 0xfefe) || (c >= 0xff00 && c <= 0xfffd);
}
