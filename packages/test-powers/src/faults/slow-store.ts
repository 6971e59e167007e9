import type {
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
} from '@apiserver/registry-store';

/** The time for which an operation on a key has to wait; undefined for none. */
export type StorageDelay = (key: string, operation: 'read' | 'write') => Promise<void> | undefined;

type Changed = NonNullable<KeyValueStore['rangeChanged']>;
type Scan = NonNullable<KeyValueStore['scan']>;

/** A store whose operations may wait. Watches do not: they follow the writes. */
export class SlowStore implements KeyValueStore {
  readonly #store: KeyValueStore;
  readonly #delay: StorageDelay;
  declare readonly freshness?: WatchFreshness;
  declare readonly knownCompaction?: number;
  readonly rangeChanged?: Changed;
  readonly scan?: Scan;
  readonly size?: () => Promise<number>;
  readonly observeLeases?: (observed: (keys: number) => void) => void;

  constructor(store: KeyValueStore, delay: StorageDelay) {
    this.#store = store;
    this.#delay = delay;
    // A store without them must remain one: it is in this process, and is neither measured nor asked.
    if (store.freshness !== undefined) Object.defineProperty(this, 'freshness', { get: () => store.freshness });
    if (store.knownCompaction !== undefined) {
      Object.defineProperty(this, 'knownCompaction', { get: () => store.knownCompaction });
    }
    const { rangeChanged, scan, size, observeLeases } = store;
    if (rangeChanged !== undefined) this.rangeChanged = this.#laterChanged(rangeChanged);
    if (scan !== undefined) this.scan = this.#laterScan(scan);
    if (size !== undefined) this.size = size.bind(store);
    if (observeLeases !== undefined) this.observeLeases = observeLeases.bind(store);
  }

  // V8 makes a function that is assigned where it is written in the old generation.
  #laterChanged(rangeChanged: Changed): Changed {
    return (request) => this.#later(request.start, 'read', () => rangeChanged.call(this.#store, request));
  }

  #laterScan(scan: Scan): Scan {
    return (range, visit) => this.#later(range.start, 'read', () => scan.call(this.#store, range, visit));
  }

  get replacement(): string | undefined {
    return this.#store.replacement;
  }

  get(key: string, options?: { readonly revision?: number }): Promise<GetResult> {
    return this.#later(key, 'read', () => this.#store.get(key, options));
  }

  range(request: RangeRequest): Promise<RangeResult> {
    return this.#later(request.start, 'read', () => this.#store.range(request));
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    return this.#later(request.key, 'write', () => this.#store.commit(request));
  }

  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch {
    return this.#store.watch(request, sink);
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  compactedRevision(): Promise<number> {
    return this.#store.compactedRevision();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#store[Symbol.asyncDispose]());
  }

  #later<T>(key: string, operation: 'read' | 'write', run: () => Promise<T>): Promise<T> {
    const delay = this.#delay(key, operation);
    return delay === undefined ? run() : delay.then(run);
  }
}
