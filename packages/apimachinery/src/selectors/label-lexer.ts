/** The kind of a token in a label selector; `end` closes every token list. */
export type LabelTokenKind =
  | 'identifier'
  | 'in'
  | 'notin'
  | 'end'
  | '('
  | ')'
  | ','
  | '!'
  | '='
  | '=='
  | '!='
  | '<'
  | '>';

/** One token with its source text, which is empty for the end. */
export interface LabelToken {
  readonly kind: LabelTokenKind;
  readonly text: string;
}

const SYMBOLS: ReadonlySet<string> = new Set(['(', ')', ',', '!', '=', '==', '!=', '<', '>']);
const SPECIAL = '=!(),><';
const BLANK = ' \t\r\n';
const NUL = '\0';

/**
 * Splits a label selector into tokens; never fails. A NUL where a token would start ends the text, as upstream.
 *
 * Upstream: Lexer in k8s.io/apimachinery/pkg/labels/selector.go
 */
export function scanLabelSelector(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  let position = 0;
  for (;;) {
    while (position < text.length && BLANK.includes(text.charAt(position))) position++;
    const token = tokenAt(text, position);
    tokens.push(token);
    if (token.kind === 'end') return tokens;
    position += token.text.length;
    if (text.charAt(position) === NUL) position++;
  }
}

function tokenAt(text: string, start: number): LabelToken {
  const first = text.charAt(start);
  if (first === '' || first === NUL) return { kind: 'end', text: '' };
  if (SPECIAL.includes(first)) return symbolAt(text, start);
  let end = start + 1;
  while (end < text.length && !endsIdentifier(text.charAt(end))) end++;
  const word = text.slice(start, end);
  return { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word };
}

function symbolAt(text: string, start: number): LabelToken {
  const two = text.slice(start, start + 2);
  const symbol = two.length === 2 && SYMBOLS.has(two) ? two : text.charAt(start);
  return { kind: symbol as LabelTokenKind, text: symbol };
}

function endsIdentifier(character: string): boolean {
  return character === NUL || SPECIAL.includes(character) || BLANK.includes(character);
}
