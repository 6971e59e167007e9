import type { Clock } from '@apiserver/apimachinery/clock';
import { GrpcError } from '../grpc/grpc-error.js';
import type { EtcdConnection } from './etcd-connection.js';
import { revisionRefusal } from './etcd-errors.js';
import { encodeCompaction } from './messages/range.js';
import { decodeTransactionResponse, encodeTransaction } from './messages/transaction.js';
import { COMPACT, TRANSACTION } from './methods.js';

/** Its value is the last compacted revision, its version the logical time that all servers share. */
const COMPACT_REVISION_KEY = 'compact_rev_key';

/** Dependencies of `EtcdCompactor`. */
export interface EtcdCompactorOptions {
  readonly connection: EtcdConnection;
  readonly clock: Clock;
  /** Milliseconds; 0: never. */
  readonly interval: number;
  /** Called after a failed round; the next one still runs. */
  failed(error: unknown): void;
  /** Called with the revision to which this server or another one has compacted. */
  compacted(revision: number): void;
}

/**
 * Compacts in every interval what is older than the previous one. All servers of a cluster, including upstream's,
 * follow one protocol: the server that finds the key's version unchanged compacts; the others learn the new version.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/compact.go
 */
export class EtcdCompactor {
  readonly #options: EtcdCompactorOptions;
  #version = 0;
  /** The newest revision at the end of the last round; 0 before the first, and the next one compacts nothing. */
  #revision = 0;
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(options: EtcdCompactorOptions) {
    this.#options = options;
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Called when the revisions so far belong to another etcd. */
  forget(): void {
    this.#version = 0;
    this.#revision = 0;
  }

  /** One round; returns the compacted revision if it was this server's turn. Throws GrpcError. */
  async round(): Promise<number | undefined> {
    const { connection } = this.#options;
    const key = COMPACT_REVISION_KEY;
    const value = Buffer.from(String(this.#revision));
    const message = encodeTransaction({
      comparison: { key, target: 'version', value: this.#version },
      write: { type: 'put', key, value },
    });
    const response = decodeTransactionResponse(await connection.write(TRANSACTION, message));
    const compacted = this.#revision;
    this.#revision = response.revision;
    if (!response.succeeded) {
      this.#version = response.current?.version ?? 0;
      const byOther = Number(Buffer.from(response.current?.value ?? []).toString());
      if (byOther > 0) this.#options.compacted(byOther);
      return undefined;
    }
    this.#version++;
    if (compacted === 0) return undefined;
    await this.#compact(compacted);
    this.#options.compacted(compacted);
    return compacted;
  }

  /** An administrator may have compacted further. */
  async #compact(revision: number): Promise<void> {
    try {
      await this.#options.connection.read(COMPACT, encodeCompaction(revision));
    } catch (error) {
      if (!(error instanceof GrpcError) || revisionRefusal(error) !== 'compacted') throw error;
    }
  }

  #schedule(): void {
    const { clock, interval, failed } = this.#options;
    if (interval === 0 || this.#stopped) return;
    this.#cancel = clock.schedule(() => {
      void this.round()
        .catch((error: unknown) => {
          if (!this.#stopped) failed(error);
        })
        .finally(() => this.#schedule());
    }, interval);
  }
}
