import { messageOf } from '@apiserver/apimachinery/errors';
import { inSpan, timed, workObserver } from '@apiserver/apiserver-contracts';
import type {
  ChangedRequest,
  ChangedResult,
  CommitRequest,
  CommitResult,
  GetResult,
  KeyRange,
  KeyValue,
  KeyValueSink,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
  RangeRequest,
  RangeResult,
  WatchFreshness,
} from '../key-value-store.js';

const RANGE = 'etcdserverpb.KV/Range';
const TRANSACTION = 'etcdserverpb.KV/Txn';

/**
 * A store whose requests are part of the audit event and of the trace of the request that needs them. Only requests to
 * etcd are spans. Disposing it does nothing: the opener disposes the store.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/latency_tracker.go, and otelgrpc
 */
export class ObservedStore implements KeyValueStore {
  readonly #store: KeyValueStore;
  readonly rangeChanged?: (request: ChangedRequest) => Promise<ChangedResult>;
  readonly scan?: (range: KeyRange, visit: (kv: KeyValue) => void | Promise<void>) => Promise<number>;

  constructor(store: KeyValueStore) {
    this.#store = store;
    const { rangeChanged, scan } = store;
    if (rangeChanged !== undefined) this.rangeChanged = this.#observedChanged(rangeChanged);
    if (scan !== undefined) this.scan = scan.bind(store);
  }

  /** A function of its own: V8 makes a function that is assigned where it is written in the old generation. */
  #observedChanged(rangeChanged: NonNullable<KeyValueStore['rangeChanged']>): typeof rangeChanged {
    return (request) => this.#observed(RANGE, () => rangeChanged.call(this.#store, request));
  }

  get freshness(): WatchFreshness {
    return this.#store.freshness ?? 'immediate';
  }

  get knownCompaction(): number | undefined {
    return this.#store.knownCompaction;
  }

  get(key: string, options?: { readonly revision?: number }): Promise<GetResult> {
    return this.#observed(RANGE, () => this.#store.get(key, options));
  }

  range(request: RangeRequest): Promise<RangeResult> {
    return this.#observed(RANGE, () => this.#store.range(request));
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    return this.#observed(TRANSACTION, () => this.#store.commit(request));
  }

  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch {
    return this.#store.watch(request, sink);
  }

  currentRevision(): Promise<number> {
    return this.#observed(RANGE, () => this.#store.currentRevision());
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  compactedRevision(): Promise<number> {
    return this.#observed(RANGE, () => this.#store.compactedRevision());
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #observed<R>(method: string, call: () => Promise<R>): Promise<R> {
    if (workObserver() === undefined) return call();
    if (this.#store.freshness === undefined) return timed('etcd', call);
    const attributes = () => ({ 'rpc.method': method, 'rpc.system.name': 'grpc' });
    return inSpan({ name: method, type: 'grpcCall', attributes }, (span) =>
      timed('etcd', call).catch((error: unknown) => {
        span?.fail(messageOf(error));
        throw error;
      }),
    );
  }
}
