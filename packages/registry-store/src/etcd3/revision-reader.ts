import type { EtcdConnection } from './etcd-connection.js';
import { decodeRangeAnswer, encodeRange } from './messages/range.js';
import { RANGE } from './methods.js';

/** Any key does: the answer's header is what is wanted. */
const QUESTION = encodeRange({ key: 'compact_rev_key', countOnly: true });

/**
 * Asks etcd for its newest revision, so that whatever was committed before the call is at or below the answer. Those who
 * ask while one question is under way share the next.
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
      .then((bytes) => decodeRangeAnswer(bytes).revision)
      .finally(() => {
        if (this.#asking === asking) this.#asking = undefined;
      });
    this.#asking = asking;
    return asking;
  }
}
