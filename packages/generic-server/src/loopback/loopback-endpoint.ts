import type { ApiResponse, Exchange, Handler, LoopbackClient } from '@apiserver/apiserver-contracts';
import {
  createLoopbackClient,
  type LoopbackClientOptions,
  postToLoopbackPath,
  readLoopbackDocument,
  readLoopbackPath,
  type TaggedDocument,
} from './loopback-client.js';

/**
 * The endpoint of the server for code of this process. Like a port, it exists before the server, and rejects calls
 * until the server serves it.
 * Upstream: Config.LoopbackClientConfig of k8s.io/apiserver/pkg/server
 */
export class LoopbackEndpoint {
  /** Full requests as system:apiserver. A call before `serve` is a bug and rejects. */
  readonly client: LoopbackClient;
  /** The full chain of the outermost server. */
  readonly handler: Handler = (exchange) => this.#handle(exchange);
  readonly #options: LoopbackClientOptions;
  #handler: Handler | undefined = undefined;

  /** `now`: milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#options = { handler: this.handler, now };
    this.client = createLoopbackClient(this.#options);
  }

  /** The JSON of a path, such as a discovery document, in a media type. Throws the StatusError of a failed response. */
  read(path: string, accept?: string): Promise<unknown> {
    return readLoopbackPath(this.#options, path, accept);
  }

  /**
   * The JSON document of a path with its tag; undefined if it is the known one, whose tag is `ifNoneMatch`. Throws the
   * StatusError of a failed response.
   */
  readDocument(path: string, ifNoneMatch?: string): Promise<TaggedDocument | undefined> {
    return readLoopbackDocument(this.#options, path, ifNoneMatch);
  }

  /**
   * Posts a JSON text to a path, such as that of an aggregated server. Resolves with the body of a success. Throws the
   * StatusError of a failed response.
   */
  readonly post = (
    target: { readonly path: string; readonly query: URLSearchParams },
    json: string,
    signal: AbortSignal,
  ): Promise<string> => postToLoopbackPath(this.#options, target, json, signal);

  /** Passes calls to the full chain of the outermost server. Call once. */
  serve(handler: Handler): void {
    if (this.#handler !== undefined) throw new Error('the loopback endpoint is served already');
    this.#handler = handler;
  }

  #handle(exchange: Exchange): Promise<ApiResponse> | ApiResponse {
    if (this.#handler === undefined) throw new Error('the loopback endpoint is not served yet');
    return this.#handler(exchange);
  }
}
