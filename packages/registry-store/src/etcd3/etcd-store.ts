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
  decodeLargeRangeResponse,
  type EtcdRange,
  type EtcdRangeResponse,
  encodeCompaction,
  encodeRange,
} from './messages/range.js';
import { COMPACT, RANGE } from './methods.js';
import { ProgressSupport } from './progress-support.js';
import { RevisionReader } from './revision-reader.js';

const CLOSE_TIMEOUT_MS = 5000;

/** The parts of `EtcdStore`. */
export interface EtcdStoreDependencies {
  readonly connection: EtcdConnection;
  readonly administration: EtcdAdministration;
  /** Asks one member without the library, which is then not loaded. */
  readonly status: (endpoint: string) => Promise<EtcdStatus>;
  readonly clock: Clock;
  /** Milliseconds; 0: never. */
  readonly compactionInterval: number;
  readonly leaseReuseSeconds: number;
  compactionFailed(error: unknown): void;
  /** See EtcdStoreOptions. */
  replaced(why: string): void;
}

/** A KeyValueStore with other concurrent writers, ours or upstream's servers. */
export class EtcdStore implements KeyValueStore {
  readonly #dependencies: EtcdStoreDependencies;
  readonly #committer: EtcdCommitter;
  readonly #leases: LeaseManager;
  readonly #gets: GetBatches;
  readonly #revisions: RevisionReader;
  readonly #compactor: EtcdCompactor;
  readonly #progress: ProgressSupport;
  readonly #watches = new Set<EtcdWatch>();
  #knownCompaction = 0;
  #replacement: string | undefined;
  /**
   * Number of pending commits; the store closes after them. Only a count: entries that pass through a long-lived Set
   * stay with it.
   */
  #commits = 0;
  #settle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(dependencies: EtcdStoreDependencies) {
    const { connection, administration, clock, compactionInterval, leaseReuseSeconds } = dependencies;
    this.#dependencies = dependencies;
    const grant = (seconds: number) => administration.grantLease(seconds);
    this.#leases = new LeaseManager({ clock, reuseSeconds: leaseReuseSeconds, grant });
    this.#committer = new EtcdCommitter({ connection, leases: this.#leases, clock });
    this.#gets = new GetBatches(connection);
    this.#revisions = new RevisionReader(connection);
    this.#progress = new ProgressSupport({ endpoints: connection.endpoints, status: dependencies.status, clock });
    this.#compactor = new EtcdCompactor({
      connection,
      clock,
      interval: compactionInterval,
      failed: (error) => dependencies.compactionFailed(error),
      compacted: (revision) => this.#learnCompaction(revision),
    });
  }

  /** URLs of the members. */
  get endpoints(): readonly string[] {
    return this.#dependencies.connection.endpoints;
  }

  /** Resolves when `freshness` is known, as far as members respond. */
  async learnFreshness(): Promise<void> {
    await this.#progress.known();
  }

  /** Asks one member for its status. Throws errors of the etcd3 library. */
  status(endpoint: string): Promise<EtcdStatus> {
    return this.#dependencies.administration.status(endpoint);
  }

  get freshness(): WatchFreshness {
    return this.#progress.supported === true ? 'onRequest' : 'unknown';
  }

  /**
   * Another etcd is behind the connection: watches must restart with a full read, and cached state is invalid. Call it
   * once for each replacement.
   */
  replaced(why: string): void {
    this.#replacement = why;
    this.#knownCompaction = 0;
    this.#committer.forget();
    this.#compactor.forget();
    this.#leases.forget();
    for (const watch of [...this.#watches]) watch.end(compactedError(watch.revision));
    this.#dependencies.replaced(why);
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
    const { kvs, more, count, ...response } = await this.#range({ key: start, end, limit, revision, keysOnly });
    return { kvs, more, count, revision: revision === 0 ? response.revision : revision };
  }

  async rangeChanged({ start, end, after, limit, revision = 0 }: ChangedRequest): Promise<ChangedResult> {
    const range = { key: start, end, limit, revision, minModRevision: after + 1 };
    const { kvs, more, count, ...response } = await this.#range(range);
    return { kvs, more, count, revision: revision === 0 ? response.revision : revision };
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
      connection: this.#dependencies.connection,
      clock: this.#dependencies.clock,
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
    await this.#naming(revision, () => this.#dependencies.connection.read(COMPACT, encodeCompaction(revision)));
    this.#learnCompaction(revision);
  }

  async compactedRevision(): Promise<number> {
    this.#checkOpen();
    const revision = await readCompactedRevision(this.#dependencies.connection, this.#dependencies.clock);
    this.#learnCompaction(revision);
    return revision;
  }

  observeLeases(observed: (keys: number) => void): void {
    this.#leases.observe(observed);
  }

  /** The size of the largest member. Rejects if none of them responds. */
  async size(): Promise<number> {
    const responses = await Promise.allSettled(this.endpoints.map((endpoint) => this.status(endpoint)));
    const sizes = responses.flatMap((response) =>
      response.status === 'fulfilled' ? [response.value.databaseSize] : [],
    );
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
    this.#dependencies.connection.close();
    await this.#dependencies.administration.close();
  }

  /** Waits for commits, but not for an etcd that hangs: their callers get an unknown outcome. */
  async #settled(): Promise<void> {
    if (this.#commits === 0) return;
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    this.#settle = resolve;
    const cancel = this.#dependencies.clock.schedule(resolve, CLOSE_TIMEOUT_MS);
    await settled;
    cancel();
  }

  #learnCompaction(revision: number): void {
    this.#knownCompaction = Math.max(this.#knownCompaction, revision);
  }

  #range(range: EtcdRange): Promise<EtcdRangeResponse> {
    this.#checkOpen();
    return this.#naming(range.revision ?? 0, async () =>
      decodeLargeRangeResponse(await this.#dependencies.connection.read(RANGE, encodeRange(range))),
    );
  }

  /** Adds the compacted or newest revision to the error: etcd only says that a revision is gone or in the future. */
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
