import { Http2Code, Http2StreamError } from '../frames/frame-types.js';
import { fieldText, isFieldName } from '../hpack/field-syntax.js';
import { type JoinedHeaders, joinedHeaders } from './joined-headers.js';

/**
 * Largest number of fields in a head, on HTTP/1 too. Upstream limits their bytes only. Tens of thousands of fields
 * would block the event loop for longer than an anonymous client may.
 */
export const MAX_FIELDS = 4_000;

const COLON = 0x3a;
const ZERO = 0x30;
/** Numbers with so many digits are exact. */
const MAX_QUICK_DIGITS = 15;
/** Bits of the pseudo-headers of a request; 0: another field. */
const PSEUDO = { method: 1, path: 2, authority: 4, scheme: 8 } as const;
/** Number of recent values known to be valid, such as a token that each request of a connection sends. */
const MAX_KNOWN_VALUES = 4;
const MIN_KNOWN_LENGTH = 64;
const MAX_KNOWN_LENGTH = 4096;

/** The pseudo-headers of a request. */
export interface RequestTargetFields {
  readonly method: string;
  /** Path and query, as sent; empty for CONNECT. */
  readonly path: string;
  /** The value of "host" when there is no ":authority". */
  readonly authority: string;
  /** "http" or "https"; empty for CONNECT. */
  readonly scheme: string;
}

/** The head of a well-formed request. */
export class RequestHead implements RequestTargetFields {
  readonly method: string;
  readonly path: string;
  readonly authority: string;
  readonly scheme: string;
  /** Names and values alternate, as sent, without pseudo-headers. */
  readonly rawHeaders: readonly string[];
  /** The declared length of the body. */
  readonly contentLength: number | undefined;
  /** Text of the 400 for a field that HTTP/2 forbids; undefined: there is none. */
  readonly refusal: string | undefined;
  /** Number of characters of all names and values. */
  readonly size: number;
  #headers: JoinedHeaders | undefined = undefined;

  constructor(target: RequestTargetFields, rest: RequestHeadRest) {
    this.method = target.method;
    this.path = target.path;
    this.authority = target.authority;
    this.scheme = target.scheme;
    this.rawHeaders = rest.rawHeaders;
    this.contentLength = rest.contentLength;
    this.refusal = rest.refusal;
    this.size = rest.size;
  }

  /** Joined by name, without pseudo-headers. Made on first use. */
  get headers(): JoinedHeaders {
    this.#headers ??= joinedHeaders(this.rawHeaders);
    return this.#headers;
  }
}

/** The other properties of a head. */
export interface RequestHeadRest {
  readonly rawHeaders: readonly string[];
  readonly contentLength: number | undefined;
  readonly refusal: string | undefined;
  readonly size: number;
}

/**
 * Builds the heads of the requests of a connection, one after the other, and validates them as upstream's server does.
 * Upstream: RFC 9113, section 8; readMetaFrame and newWriterAndRequest of golang.org/x/net/http2
 */
export class RequestHeadBuilder {
  #method = '';
  #path = '';
  #authority = '';
  #scheme = '';
  /** Bits of the received pseudo-headers, even empty ones. */
  #seen = 0;
  #raw: string[] = [];
  #host = '';
  #size = 0;
  #length: string | undefined = undefined;
  #hasTe = false;
  #hasBadTe = false;
  #connectionFields: string[] | undefined = undefined;
  #fault: string | undefined = undefined;
  #isUnreadable = false;
  readonly #knownValues: string[] = [];
  #nextKnown = 0;

  /** A field is malformed or misplaced. Upstream counts no further fields of such a head. */
  get isUnreadable(): boolean {
    return this.#isUnreadable;
  }

  /**
   * Adds a field; its characters stand for bytes. `finish` reports faults, because later header blocks need this one
   * decoded to its end.
   */
  field(name: string, bytes: string): void {
    const value = this.#text(bytes);
    if (value === undefined) {
      this.#unreadable('a field has a value that none can have');
      return;
    }
    this.#size += name.length + value.length;
    if (name.charCodeAt(0) === COLON) {
      this.#pseudo(name, value);
      return;
    }
    if (!isFieldName(name)) this.#unreadable('a field has a name that none can have');
    this.#raw.push(name, value);
    this.#note(name, value);
  }

  /** Returns the head and begins the next one. Throws Http2StreamError for a malformed request. */
  finish(endStream: boolean): RequestHead {
    try {
      return this.#finish(endStream);
    } finally {
      this.#clear();
    }
  }

  /** Returns the trailers, like `rawHeaders`. Throws Http2StreamError for malformed ones. */
  finishTrailers(): readonly string[] {
    const fault = this.#seen === 0 ? this.#fault : 'trailers have a pseudo-header';
    const raw = this.#raw;
    this.#clear();
    if (fault !== undefined) throw malformed(fault);
    return raw;
  }

  #finish(endStream: boolean): RequestHead {
    if (this.#authority === '') this.#authority = this.#host;
    const fault = this.#fault ?? this.#targetFault();
    if (fault !== undefined) throw malformed(fault);
    const contentLength = this.#contentLength();
    if (endStream && contentLength !== undefined && contentLength > 0) throw malformed('the announced body is missing');
    return new RequestHead(
      { method: this.#method, path: this.#path, authority: this.#authority, scheme: this.#scheme },
      { rawHeaders: this.#raw, contentLength, refusal: this.#refusal(), size: this.#size },
    );
  }

  #pseudo(name: string, value: string): void {
    if (this.#raw.length > 0) this.#unreadable('a pseudo-header comes too late');
    const bit = bitOf(name);
    if (bit === 0) this.#fault ??= 'a pseudo-header is none of a request';
    if ((this.#seen & bit) !== 0) this.#fault ??= 'a pseudo-header comes twice';
    this.#seen |= bit;
    if (bit === PSEUDO.method) this.#method = value;
    else if (bit === PSEUDO.path) this.#path = value;
    else if (bit === PSEUDO.authority) this.#authority = value;
    else if (bit === PSEUDO.scheme) this.#scheme = value;
  }

  #unreadable(fault: string): void {
    this.#fault ??= fault;
    this.#isUnreadable = true;
  }

  /** Records the fields that the protocol itself needs. */
  #note(name: string, value: string): void {
    switch (name) {
      case 'host':
        if (this.#host === '') this.#host = value;
        return;
      case 'content-length':
        this.#length ??= value;
        if (value !== this.#length) this.#fault ??= 'two lengths are said';
        return;
      case 'te':
        this.#hasBadTe ||= this.#hasTe || (value !== 'trailers' && value !== '');
        this.#hasTe = true;
        return;
      case 'connection':
      case 'keep-alive':
      case 'proxy-connection':
      case 'transfer-encoding':
      case 'upgrade':
        this.#connectionFields ??= [];
        this.#connectionFields.push(name);
    }
  }

  #targetFault(): string | undefined {
    if (this.#method === 'CONNECT') {
      const isWhole = this.#authority !== '' && this.#path === '' && this.#scheme === '';
      return isWhole ? undefined : 'CONNECT has a path or nowhere to go';
    }
    if (this.#method === '' || this.#path === '') return 'a pseudo-header is missing';
    if (this.#scheme !== 'https' && this.#scheme !== 'http') return 'the scheme is none of HTTP';
    return this.#authority.includes('@') ? 'the authority names a user' : undefined;
  }

  #contentLength(): number | undefined {
    if (this.#length === undefined) return undefined;
    const length = lengthOf(this.#length);
    if (length >= 2 ** 63) throw malformed('the content length is invalid');
    return length;
  }

  /** Upstream: checkValidHTTP2RequestHeaders in golang.org/x/net/http2/server.go */
  #refusal(): string | undefined {
    const sent = this.#connectionFields;
    const first = sent && forbiddenFields().find((name) => sent.includes(name.toLowerCase()));
    if (first !== undefined) return `request header "${first}" is not valid in HTTP/2`;
    return this.#hasBadTe ? 'request header "TE" may only be "trailers" in HTTP/2' : undefined;
  }

  #text(value: string): string | undefined {
    const isLong = value.length >= MIN_KNOWN_LENGTH;
    if (isLong && this.#knownValues.includes(value)) return value;
    const text = fieldText(value);
    if (isLong && text === value && value.length <= MAX_KNOWN_LENGTH) {
      this.#knownValues[this.#nextKnown++ % MAX_KNOWN_VALUES] = value;
    }
    return text;
  }

  #clear(): void {
    this.#method = '';
    this.#path = '';
    this.#authority = '';
    this.#scheme = '';
    this.#seen = 0;
    this.#raw = [];
    this.#host = '';
    this.#size = 0;
    this.#length = undefined;
    this.#hasTe = false;
    this.#hasBadTe = false;
    this.#connectionFields = undefined;
    this.#fault = undefined;
    this.#isUnreadable = false;
  }
}

/** Infinite for a text that is no number. Most are short: a pattern and `Number` take longer. */
function lengthOf(text: string): number {
  if (text.length > MAX_QUICK_DIGITS) return /^[0-9]+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  let length = text === '' ? Number.POSITIVE_INFINITY : 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return Number.POSITIVE_INFINITY;
    length = length * 10 + digit;
  }
  return length;
}

function bitOf(name: string): number {
  if (name === ':method') return PSEUDO.method;
  if (name === ':path') return PSEUDO.path;
  if (name === ':authority') return PSEUDO.authority;
  return name === ':scheme' ? PSEUDO.scheme : 0;
}

/** The names of forbidden fields, in upstream's order: the response names the first one in a request. */
function forbiddenFields(): readonly string[] {
  return ['Connection', 'Keep-Alive', 'Proxy-Connection', 'Transfer-Encoding', 'Upgrade'];
}

function malformed(message: string): Http2StreamError {
  return new Http2StreamError(Http2Code.protocolError, message);
}
