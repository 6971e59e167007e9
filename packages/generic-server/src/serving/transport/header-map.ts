import type { ResponseHeaders } from '@apiserver/apiserver-contracts';

/** Header fields by lower-case name, as the transports take them. */
export type HeaderFields = Record<string, string | readonly string[]>;

/**
 * The response headers of an exchange. Once sealed, when the head leaves, every change throws; once the handler has been given up
 * every change is dropped.
 */
export class HeaderMap implements ResponseHeaders {
  #fields: HeaderFields = {};
  #sealed = false;
  #isHandlerGivenUp = false;

  get(name: string): string | undefined {
    const value = this.#fields[name.toLowerCase()];
    return typeof value === 'string' ? value : value?.[0];
  }

  set(name: string, value: string | readonly string[]): void {
    if (this.#isHandlerGivenUp) return;
    this.#mustBeOpen();
    this.#fields[name.toLowerCase()] = typeof value === 'string' ? toWire(value) : value.map(toWire);
  }

  append(name: string, value: string): void {
    if (this.#isHandlerGivenUp) return;
    this.#mustBeOpen();
    const key = name.toLowerCase();
    const before = this.#fields[key];
    const added = toWire(value);
    if (before === undefined) this.#fields[key] = added;
    else this.#fields[key] = typeof before === 'string' ? [before, added] : [...before, added];
  }

  has(name: string): boolean {
    return this.#fields[name.toLowerCase()] !== undefined;
  }

  delete(name: string): void {
    if (this.#isHandlerGivenUp) return;
    this.#mustBeOpen();
    delete this.#fields[name.toLowerCase()];
  }

  entries(): Iterable<readonly [string, string | readonly string[]]> {
    return Object.entries(this.#fields);
  }

  /** A copy of the fields as they stand, to go back to with `restore`. */
  snapshot(): HeaderFields {
    return { ...this.#fields };
  }

  /** Goes back to a snapshot: what was set since is dropped. */
  restore(fields: HeaderFields): void {
    this.#mustBeOpen();
    this.#fields = { ...fields };
  }

  /** The fields are those of another answer, sent in the handler's place: it may still set some when it has one of its own. */
  giveHandlerUp(): void {
    this.#isHandlerGivenUp = true;
  }

  /** Hands the fields to a transport, which may add its own; nobody else can change them from now on. */
  seal(): HeaderFields {
    this.#mustBeOpen();
    this.#sealed = true;
    return this.#fields;
  }

  #mustBeOpen(): void {
    if (this.#sealed) throw new Error('response headers cannot be changed after they have been sent');
  }
}

/** Upstream sends text in headers as UTF-8; node takes one character per byte. */
function toWire(value: string): string {
  for (let index = 0; index < value.length; index++) {
    if (value.charCodeAt(index) > 0x7f) return Buffer.from(value, 'utf8').toString('latin1');
  }
  return value;
}

const canonicalNames = new Map<string, string>();

/** "content-type" as "Content-Type", the way upstream writes names on HTTP/1. */
export function canonicalHeaderName(name: string): string {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  const canonical = name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  // Names come from handlers, not from clients, so there are few; still the memory is bounded.
  if (canonicalNames.size < 256) canonicalNames.set(name, canonical);
  return canonical;
}
