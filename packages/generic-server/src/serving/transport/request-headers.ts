import { Buffer } from 'node:buffer';
import type { RequestHeaders } from '@apiserver/apiserver-contracts';

/** Headers as node:http and our HTTP/2 have them: joined by name, and as a flat list. */
export interface NodeHeaders {
  readonly joined: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly raw: readonly string[];
  /** True if a character represents a byte, as in node:http. */
  readonly bytewise?: boolean;
}

/** Number of look-ups by linear search, before an index is built. */
const FEW = 8;

/** A view of a request's headers, without a copy. Pseudo-headers of HTTP/2 (":path") are not headers. */
export class RequestHeadersView implements RequestHeaders {
  readonly #joined: NodeHeaders['joined'];
  readonly #raw: NodeHeaders['raw'];
  readonly #bytewise: boolean;
  /** Number of look-ups so far. */
  #lookUps = 0;
  #index: ReadonlyMap<string, readonly string[]> | undefined = undefined;

  constructor({ joined, raw, bytewise = false }: NodeHeaders) {
    this.#joined = joined;
    this.#raw = raw;
    this.#bytewise = bytewise;
  }

  get(name: string): string | undefined {
    const value = this.#joined[name.toLowerCase()];
    const first = value === undefined || typeof value === 'string' ? value : value[0];
    return first !== undefined && this.#bytewise ? textOfBytes(first) : first;
  }

  all(name: string): readonly string[] {
    const wanted = name.toLowerCase();
    if (this.#joined[wanted] === undefined) return [];
    // After a few names, an index saves a walk over all headers for each further name.
    if (++this.#lookUps > FEW) this.#index ??= this.#indexed();
    if (this.#index !== undefined) return this.#index.get(wanted) ?? [];
    const values: string[] = [];
    for (let index = 0; index < this.#raw.length; index += 2) {
      if (this.#raw[index]?.toLowerCase() === wanted) values.push(this.#valueAt(index));
    }
    return values;
  }

  #indexed(): ReadonlyMap<string, readonly string[]> {
    const values = new Map<string, string[]>();
    for (let index = 0; index < this.#raw.length; index += 2) {
      const name = this.#raw[index]?.toLowerCase() ?? '';
      const known = values.get(name);
      if (known === undefined) values.set(name, [this.#valueAt(index)]);
      else known.push(this.#valueAt(index));
    }
    return values;
  }

  #valueAt(index: number): string {
    const value = this.#raw[index + 1] ?? '';
    return this.#bytewise ? textOfBytes(value) : value;
  }

  names(): Iterable<string> {
    return Object.keys(this.#joined).filter((name) => !name.startsWith(':'));
  }
}

/** Decodes a value as UTF-8, as upstream does. A value that a host framework has set as text is not changed. */
function textOfBytes(value: string): string {
  return /[\u0080-\u00ff]/.test(value) && !/[\u0100-\uffff]/.test(value)
    ? Buffer.from(value, 'latin1').toString()
    : value;
}
