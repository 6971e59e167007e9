import type { ResponseHeaders } from '@apiserver/apiserver-contracts';

/** Header fields by lower-case name, in the form of the transports. */
export type HeaderFields = Record<string, string | readonly string[]>;

/**
 * The response headers of an exchange. After `seal`, when the head is sent, changes throw. After `giveHandlerUp`,
 * changes are dropped.
 */
export class HeaderMap implements ResponseHeaders {
  #fields: HeaderFields = {};
  #sealed = false;
  #isHandlerGivenUp = false;

  get(name: string): string | undefined {
    const value = this.#fields[lowerCaseName(name)];
    return typeof value === 'string' ? value : value?.[0];
  }

  set(name: string, value: string | readonly string[]): void {
    if (this.#isHandlerGivenUp) return;
    this.#mustBeOpen();
    this.#fields[lowerCaseName(name)] = typeof value === 'string' ? toWire(value) : value.map(toWire);
  }

  append(name: string, value: string): void {
    if (this.#isHandlerGivenUp) return;
    this.#mustBeOpen();
    const key = lowerCaseName(name);
    const before = this.#fields[key];
    const added = toWire(value);
    if (before === undefined) this.#fields[key] = added;
    else this.#fields[key] = typeof before === 'string' ? [before, added] : [...before, added];
  }

  has(name: string): boolean {
    return this.#fields[lowerCaseName(name)] !== undefined;
  }

  delete(name: string): void {
    if (this.#isHandlerGivenUp) return;
    this.#mustBeOpen();
    delete this.#fields[lowerCaseName(name)];
  }

  entries(): Iterable<readonly [string, string | readonly string[]]> {
    return Object.entries(this.#fields);
  }

  /** A copy of the fields, for `restore`. */
  snapshot(): HeaderFields {
    return { ...this.#fields };
  }

  /** Restores a snapshot. */
  restore(fields: HeaderFields): void {
    this.#mustBeOpen();
    this.#fields = { ...fields };
  }

  /**
   * The fields belong to a response that replaces the handler's. The handler may still run and set fields, which are
   * dropped.
   */
  giveHandlerUp(): void {
    this.#isHandlerGivenUp = true;
  }

  /** Gives the fields to a transport, which may add its own. Later changes throw. */
  seal(): HeaderFields {
    this.#mustBeOpen();
    this.#sealed = true;
    return this.#fields;
  }

  #mustBeOpen(): void {
    if (this.#sealed) throw new Error('response headers cannot be changed after they have been sent');
  }
}

/** Upstream sends header text as UTF-8; Node expects one character per byte. */
function toWire(value: string): string {
  for (let index = 0; index < value.length; index++) {
    if (value.charCodeAt(index) > 0x7f) return Buffer.from(value, 'utf8').toString('latin1');
  }
  return value;
}

/** Names come from handlers, not from clients, so there are few. Caches of names are bounded all the same. */
const MAX_NAMES = 256;
const lowerCaseNames = new Map<string, string>();
const canonicalNames = new Map<string, string>();

/** V8 makes a new text for a long name, even in lower case, and looks it up among its known ones for each access. */
function lowerCaseName(name: string): string {
  const known = lowerCaseNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (lowerCaseNames.size < MAX_NAMES) lowerCaseNames.set(name, lower);
  return lower;
}

/** "content-type" as "Content-Type", the way upstream writes names on HTTP/1. */
export function canonicalHeaderName(name: string): string {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  const canonical = name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  if (canonicalNames.size < MAX_NAMES) canonicalNames.set(name, canonical);
  return canonical;
}
