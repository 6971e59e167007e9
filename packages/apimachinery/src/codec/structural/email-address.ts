import { base64Fault } from '../../text/base64.js';
import { ipVersion } from './ip-text.js';

/**
 * Reports whether a text is exactly one e-mail address, perhaps with a name or as the only one of a group.
 *
 * Upstream: ParseAddress of Go's net/mail
 */
export function isEmailAddress(text: string): boolean {
  return new AddressReader(text).isOneAddress();
}

const SPACE = /[ \t]*/y;
const ATOM = /[!#$%&'*+\-./0-9=?A-Z^_`a-z{|}~\u{80}-\u{10ffff}]+/uy;
const QUOTED = /"((?:[ \t!#-[\]-~\u{80}-\u{10ffff}]|\\[ \t!-~\u{80}-\u{10ffff}])*)"/uy;
const LITERAL = /\[([!-Z^-~\u{80}-\u{10ffff}]*)\]/uy;

/** Reads parts of an address from the front of a text. A part that is not there consumes nothing. */
class AddressReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isOneAddress(): boolean {
    return this.#mailboxes(true) === 1 && this.#skipComments() && this.#at === this.#text.length;
  }

  /** The number of addresses that a mailbox or a group has; undefined for a fault. */
  #mailboxes(mayBeGroup: boolean): number | undefined {
    this.#match(SPACE);
    if (this.#address()) {
      this.#match(SPACE);
      return this.#text[this.#at] !== '(' || this.#nameInComment() ? 1 : undefined;
    }
    if (this.#text[this.#at] !== '<' && !this.#phrase()) return undefined;
    this.#match(SPACE);
    if (mayBeGroup && this.#take(':')) return this.#group();
    return this.#take('<') && this.#address() && this.#take('>') ? 1 : undefined;
  }

  #group(): number | undefined {
    this.#match(SPACE);
    if (this.#take(';')) return this.#skipComments() ? 0 : undefined;
    for (let count = 1; ; count++) {
      this.#match(SPACE);
      if (this.#mailboxes(false) === undefined || !this.#skipComments()) return undefined;
      if (this.#take(';')) return this.#skipComments() ? count : undefined;
      if (!this.#take(',')) return undefined;
    }
  }

  #address(): boolean {
    const start = this.#at;
    this.#match(SPACE);
    if (this.#localPart() && this.#take('@') && this.#domain()) return true;
    this.#at = start;
    return false;
  }

  #localPart(): boolean {
    if (this.#text[this.#at] === '"') return (this.#match(QUOTED)?.[1] ?? '') !== '';
    return isDotAtom(this.#match(ATOM)?.[0]);
  }

  #domain(): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== '[') return isDotAtom(this.#match(ATOM)?.[0]);
    return ipVersion(this.#match(LITERAL)?.[1] ?? '') !== 0;
  }

  /** At least one word. A fault ends it; what follows tells whether the address has one. */
  #phrase(): boolean {
    let hasWord = false;
    let hasEncoded = false;
    for (;;) {
      if (hasWord && !this.#skipComments()) return false;
      this.#match(SPACE);
      const isQuoted = this.#text[this.#at] === '"';
      const word = this.#match(isQuoted ? QUOTED : ATOM);
      const encoded = word === null || isQuoted ? undefined : encodedWord(word[0]);
      if (word === null || encoded?.isKnown === false) return hasWord || hasEncoded;
      // Go counts encoded words only when another one follows them.
      if (encoded === undefined) hasWord = true;
      else hasEncoded ||= encoded.text !== '';
    }
  }

  /** Skips comments, which may be nested; false for one without an end. */
  #skipComments(): boolean {
    this.#match(SPACE);
    while (this.#text[this.#at] === '(') {
      if (this.#comment() === undefined) return false;
      this.#match(SPACE);
    }
    return true;
  }

  #nameInComment(): boolean {
    const comment = this.#comment();
    return comment?.split(/[ \t]+/).every((word) => encodedWord(word)?.isKnown !== false) ?? false;
  }

  /** The text of a comment, without backslashes; undefined if it has no end. */
  #comment(): string | undefined {
    let depth = 0;
    let comment = '';
    for (; this.#at < this.#text.length; this.#at++) {
      const c = this.#text[this.#at];
      const isEscape = c === '\\' && this.#at + 1 < this.#text.length;
      if (isEscape) this.#at++;
      else if (c === '(') depth++;
      else if (c === ')') depth--;
      if (depth === 0) {
        this.#at++;
        return comment.slice(1);
      }
      comment += this.#text[this.#at];
    }
    return undefined;
  }

  #take(c: string): boolean {
    if (this.#text[this.#at] !== c) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}

function isDotAtom(atom: string | undefined): boolean {
  return atom !== undefined && !atom.startsWith('.') && !atom.endsWith('.') && !atom.includes('..');
}

const KNOWN_CHARSETS = ['utf-8', 'iso-8859-1', 'us-ascii'];
const Q_TEXT = /^(?:=[0-9a-fA-F]{2}|[ -<>-~\n\r\t])*$/;

/** The parts of a well-formed encoded word (RFC 2047); a faulty one is plain text. Go knows a few charsets. */
function encodedWord(word: string): { readonly text: string; readonly isKnown: boolean } | undefined {
  const [, charset = '', encoding, text = ''] = /^=\?([^?]+)\?([bBqQ])\?([^?]*)\?=$/.exec(word) ?? [];
  const isWellFormed = encoding?.toLowerCase() === 'b' ? base64Fault(text) === undefined : Q_TEXT.test(text);
  if (encoding === undefined || !isWellFormed) return undefined;
  return { text, isKnown: KNOWN_CHARSETS.includes(charset.toLowerCase()) };
}
