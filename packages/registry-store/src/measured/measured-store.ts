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
import type { StoreMetrics, StoreOperation } from '../objects/store-metrics.js';

/**
 * A network store whose requests are counted and timed, for one resource. Disposing it does nothing: the opener
 * disposes the store.
 */
export class MeasuredStore implements KeyValueStore {
  readonly #store: KeyValueStore;
  readonly #metrics: StoreMetrics;
  readonly rangeChanged?: (request: ChangedRequest) => Promise<ChangedResult>;

  constructor(store: KeyValueStore, metrics: StoreMetrics) {
    this.#store = store;
    this.#metrics = metrics;
    const { rangeChanged } = store;
    if (rangeChanged !== undefined) {
      this.rangeChanged = (request) => this.#timed('list', rangeChanged.call(store, request));
    }
  }

  get freshness(): WatchFreshness {
    return this.#store.freshness ?? 'immediate';
  }

  get knownCompaction(): number {
    return this.#store.knownCompaction ?? 0;
  }

  get(key: string, options?: { readonly revision?: number }): Promise<GetResult> {
    return this.#timed('get', this.#store.get(key, options));
  }

  range(request: RangeRequest): Promise<RangeResult> {
    const onlyCounts = request.count === true && request.limit === 1;
    return this.#timed(onlyCounts ? 'listWithCount' : 'list', this.#store.range(request));
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    const put = request.expectedRevision === 0 ? 'create' : 'update';
    return this.#timed(request.type === 'delete' ? 'delete' : put, this.#store.commit(request));
  }

  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch {
    return this.#store.watch(request, {
      event: (event) => {
        this.#metrics.eventReceived();
        sink.event(event);
      },
      progress: () => {
        this.#metrics.progressReceived();
        sink.progress?.();
      },
      end: (error) => sink.end(error),
    });
  }

  currentRevision(): Promise<number> {
    return this.#timed('list', this.#store.currentRevision());
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  compactedRevision(): Promise<number> {
    return this.#store.compactedRevision();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #timed<T>(operation: StoreOperation, work: Promise<T>): Promise<T> {
    const started = performance.now();
    let failed = true;
    try {
      const result = await work;
      failed = false;
      return result;
    } finally {
      this.#metrics.requested(operation, (performance.now() - started) / 1000, failed);
    }
  }
}
