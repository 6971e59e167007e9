import { compactedError, futureRevisionError } from '../key-value-error.js';
import type {
  CommitRequest,
  CommitResult,
  GetResult,
  KeyValue,
  KeyValueEvent,
  KeyValueSink,
  KeyValueStore,
  KeyValueWatch,
  KeyValueWatchRequest,
  RangeRequest,
  RangeResult,
} from '../key-value-store.js';

const inRange = (key: string, { start, end }: { start: string; end: string }): boolean => {
  const bytes = Buffer.from(key);
  return Buffer.compare(bytes, Buffer.from(start)) >= 0 && Buffer.compare(bytes, Buffer.from(end)) < 0;
};

/** The simplest KeyValueStore: it keeps every event, and computes the state from them. */
export class NaiveStore implements KeyValueStore {
  readonly #events: KeyValueEvent[] = [];
  #compacted = 0;

  get #revision(): number {
    return this.#events.length + 1;
  }

  async get(key: string, options: { readonly revision?: number } = {}): Promise<GetResult> {
    const revision = this.#readable(options.revision);
    return { kv: this.#state(revision).get(key), revision };
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    const revision = this.#readable(request.revision);
    const all = [...this.#state(revision).values()].filter((kv) => inRange(kv.key, request));
    all.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
    const kvs = all.slice(0, request.limit);
    return { kvs, more: kvs.length < all.length, count: all.length, revision };
  }

  async commit(request: CommitRequest): Promise<CommitResult> {
    const { key, expectedRevision } = request;
    const current = this.#state(this.#revision).get(key);
    const refused =
      (current?.modRevision ?? 0) !== expectedRevision || (request.type === 'delete' && current === undefined);
    if (refused) return { committed: false, current, revision: this.#revision };
    const base = { key, revision: this.#revision + 1, previous: current };
    this.#events.push(
      request.type === 'put' ? { ...base, type: 'put', value: request.value } : { ...base, type: 'delete' },
    );
    return { committed: true, revision: this.#revision };
  }

  /** Delivers the past at once, and nothing later. */
  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch {
    const from = request.fromRevision ?? this.#revision + 1;
    if (from <= this.#compacted) sink.end(compactedError(this.#compacted));
    else for (const e of this.#events) if (e.revision >= from && inRange(e.key, request)) sink.event(e);
    return { revision: this.#revision, catchUp: () => undefined, close: () => {} };
  }

  async currentRevision(): Promise<number> {
    return this.#revision;
  }

  async compact(revision: number): Promise<void> {
    if (revision > this.#revision) throw futureRevisionError(this.#revision);
    if (revision <= this.#compacted) throw compactedError(this.#compacted);
    this.#compacted = revision;
  }

  async compactedRevision(): Promise<number> {
    return this.#compacted;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #readable(revision = this.#revision): number {
    if (revision > this.#revision) throw futureRevisionError(this.#revision);
    if (revision < this.#compacted) throw compactedError(this.#compacted);
    return revision;
  }

  #state(revision: number): Map<string, KeyValue> {
    const state = new Map<string, KeyValue>();
    for (const event of this.#events) {
      if (event.revision > revision) break;
      if (event.type === 'put') {
        state.set(event.key, { key: event.key, value: event.value, modRevision: event.revision });
      } else state.delete(event.key);
    }
    return state;
  }
}
