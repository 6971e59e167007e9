import type { Exchange, Handler } from '@apiserver/apiserver-contracts';

/** Tells the requests of a server to itself, and of the test's hand on it, from those of clients. */
export class OwnRequests {
  readonly #marked = new WeakSet<Exchange>();

  /** The same handler, whose requests are the server's own. */
  handler(handler: Handler): Handler {
    return (exchange) => {
      this.#marked.add(exchange);
      return handler(exchange);
    };
  }

  has(exchange: Exchange): boolean {
    return exchange.request.inProcess !== undefined || this.#marked.has(exchange);
  }
}
