import type { Clock } from '@apiserver/apimachinery/clock';
import { GrpcError } from '../grpc/grpc-error.js';
import { compactedError, futureRevisionError, KeyValueError } from '../key-value-error.js';
import type {
  ChangedRequest,
  ChangedResult,
  CommitRequest,
  CommitResult,
  GetResult,
  KeyValueSink,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
  RangeRequest,
  RangeResult,
  WatchFreshness,
} from '../key-value-store.js';
import { readCompactedRevision } from './compacted-revision.js';
import type { EtcdAdministration, EtcdStatus } from './etcd-administration.js';
import { EtcdCommitter } from './etcd-committer.js';
import { EtcdCompactor } from './etcd-compactor.js';
import type { EtcdConnection } from './etcd-connection.js';
import { revisionRefusal, toKeyValueError } from './etcd-errors.js';
import { EtcdWatch } from './etcd-watch.js';
import { GetBatches } from './get-batches.js';
import { LeaseManager } from './lease-manager.js';
import {
  decodeLargeRangeAnswer,
  type EtcdRange,
  type EtcdRangeAnswer,
  encodeCompaction,
  encodeRange,
} from './messages/range.js';
import { COMPACT, RANGE } from './methods.js';
import { ProgressSupport } from './progress-support.js';
import { RevisionReader } from './revision-reader.js';

const CLOSE_TIMEOUT_MS = 5000;

export interface EtcdStoreParts {
  readonly connection: EtcdConnection;
  readonly administration: EtcdAdministration;
  /** Asks one member without the library, which need not be loaded for it. */
  readonly status: (endpoint: string) => Promise<EtcdStatus>;
  readonly clock: Clock;
  readonly compactionInterval: number;
  readonly leaseReuseSeconds: number;
  compactionFailed(error: unknown): void;
  /** See EtcdStoreOptions. */
  replaced(why: string): void;
}

/** A KeyValueStore that other servers, ours and upstream's, work on at the same time. */
export class EtcdStore implements KeyValueStore {
  readonly #parts: EtcdStoreParts;
  readonly #committer: EtcdCommitter;
  readonly #leases: LeaseManager;
  readonly #gets: GetBatches;
  readonly #revisions: RevisionReader;
  readonly #compactor: EtcdCompactor;
  readonly #progress: ProgressSupport;
  readonly #watches = new Set<EtcdWatch>();
  #knownCompaction = 0;
  #replacement: string | undefined;
  /** Commits under way; the store closes after them. Counted only: what passes through a Set that lives long stays with it. */
  #commits = 0;
  #settle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: EtcdStoreParts) {
    const { connection, administration, clock, compactionInterval, leaseReuseSeconds } = parts;
    this.#parts = parts;
    const grant = (seconds: number) => administration.grantLease(seconds);
    this.#leases = new LeaseManager({ clock, reuseSeconds: leaseReuseSeconds, grant });
    this.#committer = new EtcdCommitter({ connection, leases: this.#leases, clock });
    this.#gets = new GetBatches(connection);
    this.#revisions = new RevisionReader(connection);
    this.#progress = new ProgressSupport({ endpoints: connection.endpoints, status: parts.status, clock });
    this.#compactor = new EtcdCompactor({
      connection,
      clock,
      interval: compactionInterval,
      failed: (error) => parts.compactionFailed(error),
      compacted: (revision) => this.#learnCompaction(revision),
    });
  }

  /** URLs of the members. */
  get endpoints(): readonly string[] {
    return this.#parts.connection.endpoints;
  }

  /** Resolves when `freshness` is known, as far as members answer. */
  async learnFreshness(): Promise<void> {
    await this.#progress.known();
  }

  /** Asks one member what it is. Throws errors of the etcd3 library. */
  status(endpoint: string): Promise<EtcdStatus> {
    return this.#parts.administration.status(endpoint);
  }

  get freshness(): WatchFreshness {
    return this.#progress.supported === true ? 'onRequest' : 'unknown';
  }

  /**
   * Another etcd is behind the connection: whoever watches has to read all of it, and nothing that was remembered holds. To be
   * called once for each.
   */
  replaced(why: string): void {
    this.#replacement = why;
    this.#knownCompaction = 0;
    this.#committer.forget();
    this.#compactor.forget();
    this.#leases.forget();
    for (const watch of [...this.#watches]) watch.end(compactedError(watch.revision));
    this.#parts.replaced(why);
  }

  get replacement(): string | undefined {
    return this.#replacement;
  }

  get knownCompaction(): number {
    return this.#knownCompaction;
  }

  async get(key: string, { revision }: { readonly revision?: number } = {}): Promise<GetResult> {
    if (revision === undefined) {
      this.#checkOpen();
      return await translating(() => this.#gets.read(key));
    }
    return { kv: (await this.#range({ key, revision })).kvs[0], revision };
  }

  async range({ start, end, limit = 0, revision = 0, keysOnly = false }: RangeRequest): Promise<RangeResult> {
    const { kvs, more, count, ...answer } = await this.#range({ key: start, end, limit, revision, keysOnly });
    return { kvs, more, count, revision: revision === 0 ? answer.revision : revision };
  }

  async rangeChanged({ start, end, after, limit, revision = 0 }: ChangedRequest): Promise<ChangedResult> {
    const range = { key: start, end, limit, revision, minModRevision: after + 1 };
    const { kvs, more, count, ...answer } = await this.#range(range);
    return { kvs, more, count, revision: revision === 0 ? answer.revision : revision };
  }

  async commit(request: CommitRequest): Promise<CommitResult> {
    this.#checkOpen();
    this.#commits++;
    try {
      return await this.#committer.commit(request);
    } finally {
      this.#commits--;
      if (this.#commits === 0) this.#settle?.();
    }
  }

  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch {
    const watch = new EtcdWatch({
      connection: this.#parts.connection,
      clock: this.#parts.clock,
      request,
      sink,
      progress: () => this.#progress.known(),
      newest: () => this.currentRevision(),
      closed: (closed) => this.#watches.delete(closed),
    });
    this.#watches.add(watch);
    return watch;
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return await translating(() => this.#revisions.read());
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    await this.#naming(revision, () => this.#parts.connection.read(COMPACT, encodeCompaction(revision)));
    this.#learnCompaction(revision);
  }

  async compactedRevision(): Promise<number> {
    this.#checkOpen();
    const revision = await readCompactedRevision(this.#parts.connection, this.#parts.clock);
    this.#learnCompaction(revision);
    return revision;
  }

  observeLeases(told: (keys: number) => void): void {
    this.#leases.observe(told);
  }

  /** That of the largest member. Rejects when none of them answers. */
  async size(): Promise<number> {
    const answers = await Promise.allSettled(this.endpoints.map((endpoint) => this.status(endpoint)));
    const sizes = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.databaseSize] : []));
    if (sizes.length === 0) throw new KeyValueError('Unavailable', 'etcd: no member tells its status');
    return Math.max(...sizes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#compactor.stop();
    this.#progress.stop();
    await this.#settled();
    const error = new KeyValueError('Closed', 'the store is closed');
    for (const watch of [...this.#watches]) watch.end(error);
    this.#parts.connection.close();
    await this.#parts.administration.close();
  }

  /** Waits for commits, but not for an etcd that hangs: who asked for them is told that nobody knows. */
  async #settled(): Promise<void> {
    if (this.#commits === 0) return;
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    this.#settle = resolve;
    const cancel = this.#parts.clock.schedule(resolve, CLOSE_TIMEOUT_MS);
    await settled;
    cancel();
  }

  #learnCompaction(revision: number): void {
    this.#knownCompaction = Math.max(this.#knownCompaction, revision);
  }

  #range(range: EtcdRange): Promise<EtcdRangeAnswer> {
    this.#checkOpen();
    return this.#naming(range.revision ?? 0, async () =>
      decodeLargeRangeAnswer(await this.#parts.connection.read(RANGE, encodeRange(range))),
    );
  }

  /** etcd says that a revision is gone or has not come, but not which one is the last gone or the newest. */
  async #naming<T>(revision: number, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      const refusal = revisionRefusal(error);
      if (refusal === 'future') throw futureRevisionError(await this.currentRevision());
      if (refusal === 'compacted') throw compactedError(Math.max(revision, await this.compactedRevision()));
      throw toKeyValueError(error);
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new KeyValueError('Closed', 'the store is closed');
  }
}

async function translating<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof GrpcError ? toKeyValueError(error) : error;
  }
}
