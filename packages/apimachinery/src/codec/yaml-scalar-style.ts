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

/** Whether the text may stand before a colon without `?`. */
export function isSimpleKey(text: string): boolean {
  return Buffer.byteLength(text) <= 128 && !BREAK.test(text);
}

function wantedStyle(text: string): YamlStyle {
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
// Tabs, carriage returns and everything beyond the basic plane are not printable here; line separators are.
const SPECIAL = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const SPACE_THEN_BREAK = / [\n\r\u0085\u2028\u2029]/;
const BREAK_THEN_SPACE = /[\n\r\u0085\u2028\u2029] /;

function analyze(text: string): Allowed {
  if (text === '') return { plain: true, single: true, block: false, multiline: false };
  const multiline = BREAK.test(text);
  const special = SPECIAL.test(text) || SPACE_THEN_BREAK.test(text);
  const breakSpace = BREAK_THEN_SPACE.test(text);
  const edges = /^[ \n\r\u0085\u2028\u2029]|[ \n\r\u0085\u2028\u2029]$/.test(text);
  return {
    plain: !multiline && !special && !edges && !hasIndicators(text),
    single: !special && !breakSpace,
    block: !special && !text.endsWith(' '),
    multiline,
  };
}

/** Characters that would mean something to a reader of unquoted text. */
function hasIndicators(text: string): boolean {
  if (/^(---|\.\.\.)/.test(text) || /^[#,[\]{}&*!|>'"%@`]/.test(text)) return true;
  if (/^[?:-]($|[ \t])/.test(text)) return true;
  return /:($|[ \t])/.test(text.slice(1)) || /[ \t]#/.test(text);
}
