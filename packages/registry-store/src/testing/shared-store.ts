import type {
  ChangedRequest,
  ChangedResult,
  KeyValueSink,
  KeyValueStore,
  KeyValueWatch,
  WatchFreshness,
} from '../key-value-store.js';

/**
 * The store as a network client shows it: others may write too, and events arrive some time after their commits. Where
 * watches cannot report progress, it tells what changed in a range.
 */
export function sharedStore(inner: KeyValueStore, freshness: WatchFreshness): KeyValueStore {
  return {
    freshness,
    ...(freshness === 'unknown' && { rangeChanged: (request: ChangedRequest) => changedIn(inner, request) }),
    get: (key, options) => inner.get(key, options),
    range: (request) => inner.range(request),
    commit: (request) => inner.commit(request),
    currentRevision: () => inner.currentRevision(),
    compact: (revision) => inner.compact(revision),
    compactedRevision: () => inner.compactedRevision(),
    watch: (request, sink) => new LateWatch((late) => inner.watch(request, late), sink),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}

async function changedIn(store: KeyValueStore, { after, limit, ...range }: ChangedRequest): Promise<ChangedResult> {
  const { kvs, revision } = await store.range(range);
  const changed = kvs.filter(({ modRevision }) => modRevision > after);
  return { kvs: changed.slice(0, limit), more: changed.length > limit, count: kvs.length, revision };
}

/** A watch that delivers each event in a later turn. */
class LateWatch implements KeyValueWatch {
  readonly #watch: KeyValueWatch;
  readonly #sink: KeyValueSink;
  readonly #held: { readonly revision: number; readonly deliver: () => void }[] = [];
  #arrived = Promise.resolve();

  constructor(open: (sink: KeyValueSink) => KeyValueWatch, sink: KeyValueSink) {
    this.#sink = sink;
    this.#watch = open({
      event: (event) => this.#hold(event.revision, () => this.#sink.event(event)),
      end: (error) => this.#hold(Number.POSITIVE_INFINITY, () => this.#sink.end(error)),
    });
  }

  get revision(): number {
    const [next] = this.#held;
    return next === undefined ? this.#watch.revision : Math.min(next.revision - 1, this.#watch.revision);
  }

  async catchUp(): Promise<void> {
    await this.#watch.catchUp();
    await this.#arrived;
  }

  close(): void {
    this.#held.length = 0;
    this.#watch.close();
  }

  #hold(revision: number, deliver: () => void): void {
    this.#held.push({ revision, deliver });
    this.#arrived = new Promise((resolve) => {
      setImmediate(() => {
        this.#held.shift()?.deliver();
        resolve();
      });
    });
  }
}
