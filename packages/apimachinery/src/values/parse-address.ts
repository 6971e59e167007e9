import { ParseError } from '../text/parse-error.js';
import { quote } from '../text/quote.js';

/** An address as Go's `netip` has it: 4 or 16 bytes. */
export interface Address {
  readonly bytes: readonly number[];
  /** Empty for none. Only the IPv6 form has one. */
  readonly zone: string;
}

/**
 * Parses an address strictly: no leading zeros, no spaces. Throws a ParseError with upstream's text.
 *
 * Upstream: ParseAddr of Go's net/netip
 */
export function parseAddress(text: string): Address {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === undefined) throw addressError(text, 'unable to parse IP');
  if (mark === '%') throw addressError(text, 'missing IPv6 address');
  if (mark === '.') return { bytes: parseDotted(text, text), zone: '' };
  return parseColons(text);
}

function addressError(text: string, fault: string, at = ''): ParseError {
  const place = at === '' ? '' : ` (at ${quote(at)})`;
  return new ParseError(`ParseAddr(${quote(text)}): ${fault}${place}`);
}

/** The four bytes of the dotted form; `text` is the whole address. */
function parseDotted(dotted: string, text: string): number[] {
  const bytes: number[] = [];
  let start = 0;
  for (let at = 0; at < dotted.length; at++) {
    if (dotted[at] === '.') {
      if (at === start || at === dotted.length - 1) {
        throw addressError(text, 'IPv4 field must have at least one digit', dotted.slice(at));
      }
      if (bytes.length === 3) throw addressError(text, 'IPv4 address too long');
      bytes.push(Number(dotted.slice(start, at)));
      start = at + 1;
    } else if (!isDigit(dotted.charCodeAt(at))) {
      throw addressError(text, 'unexpected character', dotted.slice(at));
    } else if (at > start && dotted[start] === '0') {
      throw addressError(text, 'IPv4 field has octet with leading zero');
    } else if (Number(dotted.slice(start, at + 1)) > 255) {
      throw addressError(text, 'IPv4 field has value >255');
    }
  }
  if (bytes.length < 3) throw addressError(text, 'IPv4 address too short');
  return [...bytes, Number(dotted.slice(start))];
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function parseColons(text: string): Address {
  const percent = text.indexOf('%');
  if (percent === text.length - 1) throw addressError(text, 'zone must be a non-empty string');
  const address = percent < 0 ? text : text.slice(0, percent);
  return { bytes: new ColonParser(text, address).parse(), zone: percent < 0 ? '' : text.slice(percent + 1) };
}

const GROUP = /[0-9a-fA-F]*/y;

/** Reads the groups of the IPv6 form. */
class ColonParser {
  readonly #text: string;
  readonly #bytes: number[] = [];
  #rest: string;
  /** The number of bytes before `::`; undefined without one. */
  #ellipsis: number | undefined;

  constructor(text: string, address: string) {
    this.#text = text;
    const leading = address.startsWith('::');
    this.#rest = leading ? address.slice(2) : address;
    if (leading) this.#ellipsis = 0;
  }

  parse(): number[] {
    if (this.#rest !== '' || this.#ellipsis === undefined) this.#readGroups();
    if (this.#rest !== '') throw this.#error('trailing garbage after address', this.#rest);
    const missing = 16 - this.#bytes.length;
    if (this.#ellipsis === undefined) {
      if (missing > 0) throw this.#error('address string too short');
      return this.#bytes;
    }
    if (missing === 0) throw this.#error('the :: must expand to at least one field of zeros');
    this.#bytes.splice(this.#ellipsis, 0, ...new Array<number>(missing).fill(0));
    return this.#bytes;
  }

  #readGroups(): void {
    while (this.#bytes.length < 16) {
      const group = this.#readGroup();
      if (this.#rest[group.length] === '.') {
        this.#readDotted();
        return;
      }
      const value = Number.parseInt(group, 16);
      this.#bytes.push(value >> 8, value & 0xff);
      this.#rest = this.#rest.slice(group.length);
      if (this.#rest === '' || !this.#readColons()) return;
    }
  }

  #readGroup(): string {
    GROUP.lastIndex = 0;
    const group = GROUP.exec(this.#rest)?.[0] ?? '';
    if (group.length > 4) throw this.#error('each group must have 4 or less digits', this.#rest);
    if (group === '') throw this.#error('each colon-separated field must have at least one digit', this.#rest);
    return group;
  }

  /** Reads the IPv4 form at the end. */
  #readDotted(): void {
    if (this.#ellipsis === undefined && this.#bytes.length !== 12) {
      throw this.#error('embedded IPv4 address must replace the final 2 fields of the address', this.#rest);
    }
    if (this.#bytes.length > 12) {
      throw this.#error('too many hex fields to fit an embedded IPv4 at the end of the address', this.#rest);
    }
    this.#bytes.push(...parseDotted(this.#rest, this.#text));
    this.#rest = '';
  }

  /** Reads `:` or `::`. Returns false at the end of the address. */
  #readColons(): boolean {
    if (this.#rest[0] !== ':') throw this.#error('unexpected character, want colon', this.#rest);
    if (this.#rest.length === 1) throw this.#error('colon must be followed by more characters', this.#rest);
    this.#rest = this.#rest.slice(1);
    if (this.#rest[0] !== ':') return true;
    if (this.#ellipsis !== undefined) throw this.#error('multiple :: in address', this.#rest);
    this.#ellipsis = this.#bytes.length;
    this.#rest = this.#rest.slice(1);
    return this.#rest !== '';
  }

  #error(fault: string, at?: string): ParseError {
    return addressError(this.#text, fault, at);
  }
}
