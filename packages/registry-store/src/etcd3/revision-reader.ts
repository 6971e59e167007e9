import type { EtcdConnection } from './etcd-connection.js';
import { decodeRangeResponse, encodeRange } from './messages/range.js';
import { RANGE } from './methods.js';

/** Any key is suitable: only the header of the response matters. */
const QUESTION = encodeRange({ key: 'compact_rev_key', countOnly: true });

/**
 * Asks etcd for its newest revision: everything committed before the call is at or below it. Callers during a request
 * share the next one.
 */
export class RevisionReader {
  readonly #connection: EtcdConnection;
  #asking: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(connection: EtcdConnection) {
    this.#connection = connection;
  }

  /** Throws GrpcError. */
  read(): Promise<number> {
    if (this.#asking === undefined) return this.#ask();
    this.#next ??= this.#asking.then(
      () => this.#ask(),
      () => this.#ask(),
    );
    return this.#next;
  }

  #ask(): Promise<number> {
    this.#next = undefined;
    const asking = this.#connection
      .read(RANGE, QUESTION)
      .then((bytes) => decodeRangeResponse(bytes).revision)
      .finally(() => {
        if (this.#asking === asking) this.#asking = undefined;
      });
    this.#asking = asking;
    return asking;
  }
}
