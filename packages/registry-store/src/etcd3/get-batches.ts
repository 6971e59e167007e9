import { GrpcError } from '../grpc/grpc-error.js';
import type { EtcdConnection } from './etcd-connection.js';
import { isTooManyReads, isTransient } from './etcd-errors.js';
import type { EtcdKeyValue } from './messages/key-value.js';
import { decodeRangeResponse, encodeRange } from './messages/range.js';
import { decodeReads, encodeReads } from './messages/transaction.js';
import { RANGE, TRANSACTION } from './methods.js';

/** etcd's default limit is 128 (`--max-txn-ops`); a lower one is learned. */
const MAX_BATCH = 64;

/** A key's state, or its absence, with the revision of the read. */
export interface EtcdRead {
  readonly kv: EtcdKeyValue | undefined;
  readonly revision: number;
}

interface Question {
  readonly key: string;
  readonly resolve: (read: EtcdRead) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads of single keys. Reads in one event loop turn are combined into one request: a read-only transaction is as
 * linearizable as each of them, and begins after all of them.
 */
export class GetBatches {
  readonly #connection: EtcdConnection;
  #questions: Question[] = [];
  #most = MAX_BATCH;

  constructor(connection: EtcdConnection) {
    this.#connection = connection;
  }

  /** Throws GrpcError. */
  read(key: string): Promise<EtcdRead> {
    return new Promise((resolve, reject) => {
      if (this.#questions.length === 0) setImmediate(() => this.#ask());
      this.#questions.push({ key, resolve, reject });
    });
  }

  #ask(): void {
    const questions = this.#questions;
    this.#questions = [];
    const most = this.#most;
    for (let at = 0; at < questions.length; at += most) {
      const batch = questions.slice(at, at + most);
      if (batch.length === 1) for (const question of batch) void this.#askAlone(question);
      else void this.#askTogether(batch);
    }
  }

  async #askTogether(batch: readonly Question[]): Promise<void> {
    try {
      const message = encodeReads(batch.map(({ key }) => key));
      const { revision, kvs } = decodeReads(await this.#connection.read(TRANSACTION, message));
      if (kvs.length !== batch.length) throw new Error(`etcd returned ${kvs.length} of ${batch.length} reads`);
      for (const [i, { resolve }] of batch.entries()) resolve({ kv: kvs[i], revision });
    } catch (error) {
      if (error instanceof GrpcError && isTooManyReads(error)) {
        this.#most = Math.min(this.#most, Math.ceil(batch.length / 2));
      }
      // A forbidden key, or etcd's limit on transactions, must not affect the other reads.
      const isPermanent = error instanceof GrpcError && !isTransient(error);
      for (const question of batch) {
        if (isPermanent) void this.#askAlone(question);
        else question.reject(error);
      }
    }
  }

  async #askAlone({ key, resolve, reject }: Question): Promise<void> {
    try {
      const { kvs, revision } = decodeRangeResponse(await this.#connection.read(RANGE, encodeRange({ key })));
      resolve({ kv: kvs[0], revision });
    } catch (error) {
      reject(error);
    }
  }
}
