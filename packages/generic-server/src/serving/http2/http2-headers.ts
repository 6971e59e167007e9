import type { RequestHeaders } from '@apiserver/apiserver-contracts';
import type { RequestHead } from '@apiserver/http2';
import { RequestHeadersView } from '../transport/request-headers.js';

/** A head with more fields gets an index. A search of so few texts costs less. */
const FEW_FIELDS = 24;

/** The headers of a head, whose names are in lower case. */
export class Http2Headers implements RequestHeaders {
  readonly #head: RequestHead;
  /** The names and values of a head with few fields. */
  readonly #few: readonly string[] | undefined;
  #indexed: RequestHeadersView | undefined = undefined;

  constructor(head: RequestHead) {
    this.#head = head;
    this.#few = head.rawHeaders.length > 2 * FEW_FIELDS ? undefined : head.rawHeaders;
  }

  get(name: string): string | undefined {
    if (this.#few === undefined) return this.#index().get(name);
    const wanted = name.toLowerCase();
    let found: string | undefined;
    for (let index = 0; index < this.#few.length; index += 2) {
      if (this.#few[index] !== wanted) continue;
      // The joined headers tell which value of a repeated field counts.
      if (found !== undefined) return this.#index().get(wanted);
      found = this.#few[index + 1];
    }
    return found;
  }

  all(name: string): readonly string[] {
    if (this.#few === undefined) return this.#index().all(name);
    const wanted = name.toLowerCase();
    const values: string[] = [];
    for (let index = 0; index < this.#few.length; index += 2) {
      if (this.#few[index] === wanted) values.push(this.#few[index + 1] ?? '');
    }
    return values;
  }

  names(): Iterable<string> {
    if (this.#few === undefined) return this.#index().names();
    const names: string[] = [];
    for (let index = 0; index < this.#few.length; index += 2) {
      const name = this.#few[index] ?? '';
      if (!names.includes(name)) names.push(name);
    }
    return names;
  }

  #index(): RequestHeadersView {
    this.#indexed ??= new RequestHeadersView({ joined: this.#head.headers, raw: this.#head.rawHeaders });
    return this.#indexed;
  }
}
