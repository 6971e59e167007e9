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
const IDENTIFIER_END = /[\0=!(),><\x20\t\r\n]/g;

/**
 * Reads the tokens of a label selector; never fails. A NUL where a token would start ends the text, as upstream. Tokens
 * are made when they are read: a selector may have hundreds of thousands.
 *
 * Upstream: Lexer in k8s.io/apimachinery/pkg/labels/selector.go
 */
export class LabelLexer {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next token; behind the last one, the end again and again. */
  next(): LabelToken {
    const text = this.#text;
    while (this.#position < text.length && BLANK.includes(text.charAt(this.#position))) this.#position++;
    const token = tokenAt(text, this.#position);
    if (token.kind === 'end') {
      this.#position = text.length;
      return token;
    }
    this.#position += token.text.length;
    if (text.charAt(this.#position) === NUL) this.#position++;
    return token;
  }
}

function tokenAt(text: string, start: number): LabelToken {
  const first = text.charAt(start);
  if (first === '' || first === NUL) return { kind: 'end', text: '' };
  if (SPECIAL.includes(first)) return symbolAt(text, start);
  IDENTIFIER_END.lastIndex = start + 1;
  const end = IDENTIFIER_END.exec(text)?.index ?? text.length;
  const word = text.slice(start, end);
  return { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word };
}

function symbolAt(text: string, start: number): LabelToken {
  const two = text.slice(start, start + 2);
  const symbol = two.length === 2 && SYMBOLS.has(two) ? two : text.charAt(start);
  return { kind: symbol as LabelTokenKind, text: symbol };
}
