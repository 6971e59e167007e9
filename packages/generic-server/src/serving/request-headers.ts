import type { RequestHeaders } from '@apiserver/apiserver-contracts';

/** Headers as node:http and our HTTP/2 give them: joined by name, and as a flat list of names and values. */
export interface NodeHeaders {
  readonly joined: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly raw: readonly string[];
}

/** A view of a request's headers, without copying them. Pseudo-headers of HTTP/2 (":path") are not headers. */
export class RequestHeadersView implements RequestHeaders {
  readonly #joined: NodeHeaders['joined'];
  readonly #raw: NodeHeaders['raw'];

  constructor({ joined, raw }: NodeHeaders) {
    this.#joined = joined;
    this.#raw = raw;
  }

  get(name: string): string | undefined {
    const value = this.#joined[name.toLowerCase()];
    return value === undefined || typeof value === 'string' ? value : value[0];
  }

  all(name: string): readonly string[] {
    const wanted = name.toLowerCase();
    if (this.#joined[wanted] === undefined) return [];
    const values: string[] = [];
    for (let index = 0; index < this.#raw.length; index += 2) {
      if (this.#raw[index]?.toLowerCase() === wanted) values.push(this.#raw[index + 1] ?? '');
    }
    return values;
  }

  names(): Iterable<string> {
    return Object.keys(this.#joined).filter((name) => !name.startsWith(':'));
  }
}
