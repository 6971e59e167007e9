import type { IncomingMessage } from 'node:http';
import { messageOf, newBadRequest, newRequestEntityTooLarge } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';

/** Maximum of a body in JSON. */
const MAX_JSON_BYTES = 1024 * 1024;

/** The response to a call of the test endpoint. Without content it is 204. */
export type EndpointResponse =
  | { readonly type: 'json'; readonly status?: number; readonly value: unknown }
  | { readonly type: 'lines'; readonly values: Iterable<unknown> }
  | { readonly type: 'file'; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly type: 'none' };

/** A request to the test endpoint that was let in. */
export class EndpointCall {
  /** The variable parts of the path, decoded. */
  readonly names: readonly string[];
  readonly query: URLSearchParams;
  readonly #request: IncomingMessage;

  constructor(
    request: IncomingMessage,
    target: { readonly names: readonly string[]; readonly query: URLSearchParams },
  ) {
    this.#request = request;
    this.names = target.names;
    this.query = target.query;
  }

  /** The chunks of a body. Throws a StatusError: 413 for one of more than `limit` bytes. */
  async *chunks(limit: number): AsyncGenerator<Uint8Array> {
    const tooLarge = () => newRequestEntityTooLarge(`limit is ${limit} bytes`);
    if (Number(this.#request.headers['content-length'] ?? 0) > limit) throw tooLarge();
    let length = 0;
    for await (const chunk of this.#request.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a body has an encoding');
      length += chunk.length;
      if (length > limit) throw tooLarge();
      yield chunk;
    }
  }

  /** A body that must be a JSON object; {} for an absent one. Throws a StatusError. */
  async json(): Promise<Readonly<Record<string, unknown>>> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks(MAX_JSON_BYTES)) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const value = text.trim() === '' ? {} : parsed(text);
    if (!isMembers(value)) throw newBadRequest('the body is not a JSON object');
    return value;
  }

  /** A JSON object with these fields alone, of which each may be absent. Throws a StatusError. */
  async fields(...known: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    const value = await this.json();
    const unknown = Object.keys(value).filter((name) => !known.includes(name));
    if (unknown.length === 0) return value;
    const expected = known.length === 0 ? 'none is known' : `known: ${known.join(', ')}`;
    throw newBadRequest(`unknown field ${JSON.stringify(unknown[0])} (${expected})`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw newBadRequest(`the body is not JSON: ${messageOf(error)}`);
  }
}
