/** Go's names of Unicode categories, as `canonicalName` spells them. Upstream: unicode.CategoryAliases */
const categories: ReadonlyMap<string, string> = new Map(
  [
    'Casedletter:LC Closepunctuation:Pe Combiningmark:M Connectorpunctuation:Pc Control:Cc Currencysymbol:Sc',
    'Dashpunctuation:Pd Decimalnumber:Nd Enclosingmark:Me Finalpunctuation:Pf Format:Cf Initialpunctuation:Pi Letter:L',
    'Letternumber:Nl Lineseparator:Zl Lowercaseletter:Ll Mark:M Mathsymbol:Sm Modifierletter:Lm Modifiersymbol:Sk',
    'Nonspacingmark:Mn Number:N Openpunctuation:Ps Other:C Otherletter:Lo Othernumber:No Otherpunctuation:Po',
    'Othersymbol:So Paragraphseparator:Zp Privateuse:Co Punctuation:P Separator:Z Spaceseparator:Zs Spacingmark:Mc',
    'Surrogate:Cs Symbol:S Titlecaseletter:Lt Unassigned:Cn Uppercaseletter:Lu Cntrl:Cc Digit:Nd Punct:P Lc:LC',
  ]
    .join(' ')
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

/** Properties of the engine that a rewrite needs. */
export interface RewriteOptions {
  /** True if the engine knows a class by this name. */
  knowsClass(name: string): boolean;
  /** The error to throw for a class that Go does not know. */
  unknownClass(text: string): Error;
}

/**
 * Rewrites a pattern of Go's syntax for an engine that requires unique group names and one spelling of classes. Groups
 * lose their names, which are never used, and classes get the engine's names.
 *
 * Upstream: parseUnicodeClass and canonicalName of Go's regexp/syntax/parse.go
 */
export function rewritePattern(pattern: string, options: RewriteOptions): string {
  let rewritten = '';
  let inClass = false;
  for (const { 0: token, index } of pattern.matchAll(TOKENS)) {
    const isLiteral = inClass && token === '[' && isNoName(pattern, index);
    if (/^\[\^?\]?$/.test(token)) inClass = true;
    if (token === ']') inClass = false;
    if (isLiteral) rewritten += '\\[';
    else if (/^\\[pP]./su.test(token)) rewritten += classOf(token, inClass, options);
    else if (!inClass && token.startsWith('(?')) rewritten += '(';
    else rewritten += token;
  }
  return rewritten;
}

/**
 * Quoted text, a class by name, an escape, a named group, the start of a class with its first member, or one character.
 */
const TOKENS = /\\Q(?:(?!\\E).)*(?:\\E)?|\\[pP](?:\{[^}]*\}|[^{])|\\.?|\(\?P?<\w+>|\[:\^?\w+:\]|\[\^?\]?|./gsu;

/** True for `[:]` in a class without a later `:]`, which the engine takes for a named class. */
function isNoName(pattern: string, index: number): boolean {
  return pattern.startsWith('[:]', index) && !pattern.includes(':]', index + 2);
}

function classOf(token: string, inClass: boolean, { knowsClass, unknownClass }: RewriteOptions): string {
  const [, letter = '', caret = '', name = ''] = /^\\([pP])\{?(\^?)([^}]*)\}?$/su.exec(token) ?? [];
  const negated = (letter === 'P') !== (caret === '^');
  const canonical = canonicalName(name);
  if (canonical === 'Ascii') return asciiClass(negated, inClass);
  const known = categories.get(canonical) ?? canonical;
  if (!knowsClass(known)) throw unknownClass(token);
  return `\\${negated ? 'P' : 'p'}{${known}}`;
}

function asciiClass(negated: boolean, inClass: boolean): string {
  const range = negated ? '\\x{80}-\\x{10FFFF}' : '\\x00-\\x7F';
  return inClass ? range : `[${range}]`;
}

/** The first letter in upper case, all others in lower case, without separators. */
function canonicalName(name: string): string {
  const letters = name.replace(/[_\- ]/g, '');
  return letters.slice(0, 1).toUpperCase() + letters.slice(1).toLowerCase();
}
