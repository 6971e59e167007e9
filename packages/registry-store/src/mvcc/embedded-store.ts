import type { Clock } from '@apiserver/apimachinery/clock';
import { compactedError, futureRevisionError, KeyValueError } from '../key-value-error.js';
import type {
  CommitRequest,
  CommitResult,
  GetResult,
  KeyRange,
  KeyValue,
  KeyValueEvent,
  KeyValueSink,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
  RangeRequest,
  RangeResult,
  RestoredKey,
} from '../key-value-store.js';
import { type CommitQueue, createCommitQueue, type PublishedVersion } from './commit-queue.js';
import { type CompactionOptions, Compactor } from './compactor.js';
import { ExpiryClock } from './expiry-clock.js';
import { ExpiryTimer } from './expiry-timer.js';
import { readRange, scanRange } from './range-reader.js';
import { StoreState } from './store-state.js';
import type { LogRecord, MetaRecord, MvccTables } from './tables.js';
import { VersionReader } from './version-reader.js';
import { type EventSource, WatchHub } from './watch-hub.js';

/** Clock and compaction of the store, and a call when it fails. */
export interface EmbeddedStoreOptions extends CompactionOptions {
  readonly clock: Clock;
  /** Called once, if the store can no longer be trusted: everything fails with this error from then on. */
  readonly failed?: (error: KeyValueError) => void;
}

/**
 * A KeyValueStore in this process over durable tables. It has one writer, one commit for all waiting writes, and shows
 * nothing before it is durable. Backends only differ in their tables.
 */
export function createEmbeddedStore(tables: MvccTables, options: EmbeddedStoreOptions): KeyValueStore {
  return new EmbeddedStore(tables, options);
}

/** The result of replacing the contents of a store. */
export interface Replacement {
  readonly meta: MetaRecord;
  /** In the order of keys. */
  readonly changed: readonly RestoredKey[];
}

/** See createEmbeddedStore. A backend that can replace all of its tables at once extends it. */
export class EmbeddedStore implements KeyValueStore {
  readonly #tables: MvccTables;
  readonly #state: StoreState;
  readonly #versions: VersionReader;
  readonly #hub: WatchHub;
  readonly #queue: CommitQueue;
  readonly #compactor: Compactor;
  readonly #expiry: ExpiryTimer;

  readonly size?: () => Promise<number>;

  constructor(tables: MvccTables, options: EmbeddedStoreOptions) {
    this.#tables = tables;
    if (tables.size !== undefined) this.size = async () => tables.size?.() ?? 0;
    this.#state = new StoreState(tables.readMeta());
    this.#versions = new VersionReader(tables);
    const state = this.#state;
    this.#hub = new WatchHub(new StoreEvents(state, (first, limit) => this.#pastEvents(first, limit)));
    const expiryClock = new ExpiryClock(options.clock);
    this.#queue = createCommitQueue({
      tables,
      state,
      clock: expiryClock,
      current: (key) => this.#versions.at(key, tables.readIndex(key), state.meta.revision),
      publish: (version) => this.#publish(version),
      failed: (error) => {
        options.failed?.(error);
        this.#hub.end(error);
      },
    });
    this.#expiry = new ExpiryTimer({ tables, clock: expiryClock, queue: this.#queue });
    this.#compactor = new Compactor({ tables, state, queue: this.#queue, clock: options.clock, options });
  }

  async get(key: string, options: { readonly revision?: number } = {}): Promise<GetResult> {
    const revision = this.#readableRevision(options.revision);
    return { kv: this.#versions.at(key, this.#tables.readIndex(key), revision), revision };
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    const revision = this.#readableRevision(request.revision);
    return await readRange(request, revision, {
      tables: this.#tables,
      versions: this.#versions,
      checkReadable: () => this.#readableRevision(revision),
    });
  }

  async scan(range: KeyRange, visit: (kv: KeyValue) => void | Promise<void>): Promise<number> {
    const revision = this.#readableRevision(undefined);
    const checkReadable = () => void this.#readableRevision(revision);
    await scanRange(range, revision, { tables: this.#tables, versions: this.#versions, visit, checkReadable });
    return revision;
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    if (request.type === 'put' && isTooLarge(request.key, request.value)) return Promise.reject(tooLargeError());
    return this.#queue.commit(request);
  }

  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch {
    return this.#hub.watch(request, sink);
  }

  async currentRevision(): Promise<number> {
    this.#state.checkOpen();
    return this.#state.meta.revision;
  }

  async compact(revision: number): Promise<void> {
    this.#state.checkOpen();
    await this.#compactor.compact(revision);
  }

  async compactedRevision(): Promise<number> {
    this.#state.checkOpen();
    return this.#state.meta.compactedRevision;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state.closing) return await this.#state.closed.promise;
    this.#state.closing = true;
    this.#expiry.stop();
    await this.#compactor.stop();
    await this.#queue.idle();
    const error = new KeyValueError('Closed', 'the store is closed');
    this.#state.failure ??= error;
    this.#hub.end(error);
    await this.#tables.close();
    this.#state.closed.resolve();
  }

  /**
   * Replaces the contents between two commits. `replace` does it, synchronously. The new state, and what changed,
   * become visible in one turn. Resolves when the sinks of watches are done with it.
   */
  protected async replaceContents(replace: () => Replacement): Promise<void> {
    let taken: Promise<void> | undefined;
    await this.#queue.exclusive(() => {
      const { meta, changed } = replace();
      this.#state.meta = meta;
      this.#expiry.rearm();
      taken = this.#hub.restored(meta.revision, changed);
      return meta;
    });
    await taken;
  }

  #readableRevision(revision: number | undefined): number {
    this.#state.checkOpen();
    const { meta } = this.#state;
    if (revision === undefined) return meta.revision;
    if (revision > meta.revision) throw futureRevisionError(meta.revision);
    if (revision < meta.compactedRevision) throw compactedError(meta.compactedRevision);
    return revision;
  }

  #publish(version: PublishedVersion): void {
    this.#hub.dispatch(toEvent(version.revision, version.record, this.#versions));
    if (version.expiresAt !== 0) this.#expiry.arm(version.expiresAt);
    this.#compactor.grown(version.revision, version.record.value?.length ?? 0);
  }

  #pastEvents(first: number, limit: number): readonly KeyValueEvent[] {
    this.#state.checkOpen();
    const newest = this.#state.meta.revision;
    const records = this.#tables.scanLog(first, limit).filter((record) => record.revision <= newest);
    const lost = records.find((record) => record.damaged === true);
    if (lost !== undefined) {
      throw new KeyValueError(
        'Corrupt',
        `the change of revision ${lost.revision} is damaged: it does not match its checksum`,
      );
    }
    return records.map((record) => toEvent(record.revision, record, this.#versions));
  }
}

/** etcd's limit of a request. Upstream: etcd's --max-request-bytes */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;
/** Bytes of a request besides key and value: it compares a key's revision, and writes or reads the key. */
const REQUEST_OVERHEAD = 64;

function isTooLarge(key: string, value: Uint8Array): boolean {
  return value.length + 3 * key.length + REQUEST_OVERHEAD > MAX_REQUEST_BYTES;
}

function tooLargeError(): KeyValueError {
  return new KeyValueError('TooLarge', 'etcdserver: request is too large');
}

function toEvent(revision: number, record: LogRecord, versions: VersionReader): KeyValueEvent {
  const { value } = record;
  return value === undefined
    ? new DeleteEvent(revision, record, versions)
    : new PutEvent(revision, record, versions, value);
}

/** `previous` is read on demand, because most watches already know the key's last state. */
class DeleteEvent {
  readonly type = 'delete';
  readonly key: string;
  readonly revision: number;
  readonly #record: LogRecord;
  readonly #versions: VersionReader;

  constructor(revision: number, record: LogRecord, versions: VersionReader) {
    this.key = record.key;
    this.revision = revision;
    this.#record = record;
    this.#versions = versions;
  }

  get previous(): KeyValue | undefined {
    return this.#versions.before(this.#record);
  }
}

class PutEvent {
  readonly type = 'put';
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  readonly #record: LogRecord;
  readonly #versions: VersionReader;

  constructor(revision: number, record: LogRecord, versions: VersionReader, value: Uint8Array) {
    this.key = record.key;
    this.value = value;
    this.revision = revision;
    this.#record = record;
    this.#versions = versions;
  }

  get previous(): KeyValue | undefined {
    return this.#versions.before(this.#record);
  }
}

/** The events of a store. */
class StoreEvents implements EventSource {
  readonly pastEvents: EventSource['pastEvents'];
  readonly #state: StoreState;

  constructor(state: StoreState, pastEvents: EventSource['pastEvents']) {
    this.#state = state;
    this.pastEvents = pastEvents;
  }

  get revision(): number {
    return this.#state.meta.revision;
  }

  get compactedRevision(): number {
    return this.#state.meta.compactedRevision;
  }
}
