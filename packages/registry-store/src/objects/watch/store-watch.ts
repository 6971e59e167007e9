import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { StorageWatchOptions, WatchSink, WatchSource } from '@apiserver/apiserver-contracts';
import type { KeyValueWatch } from '../../key-value-store.js';
import { type Change, ObjectEvent } from '../change.js';
import { changeOf } from '../entry-of.js';
import { listFromStore } from '../object-list.js';
import { type ResourceContext, resourceRange } from '../resource-context.js';
import { type Selection, selectionOf } from '../selection.js';
import type { StoredEntry } from '../stored-entry.js';
import { initialEventsEnd, newBookmark } from './bookmark-event.js';
import type { BookmarkReceiver, Bookmarks } from './bookmarks.js';
import { InOrder } from './in-order.js';
import { isOrderlyEnd, type WatchFailure } from './watch-failure.js';

export interface StoreWatchOptions<T extends KubeObject> {
  readonly context: ResourceContext<T>;
  readonly prefix: string;
  readonly options: StorageWatchOptions;
  readonly bookmarks: Bookmarks;
  /** Events after this revision; with `initial` the state at the start comes first instead. */
  readonly from: number;
  readonly initial: boolean;
  readonly failure: WatchFailure;
  opened(watch: StoreWatch<T>): void;
  closed(watch: StoreWatch<T>): void;
}

/** A watch that reads the key-value store directly. */
export class StoreWatch<T extends KubeObject> implements WatchSource<T>, BookmarkReceiver {
  readonly #options: StoreWatchOptions<T>;
  readonly #selection: Selection;
  #sink: WatchSink<T> | undefined;
  #watch: KeyValueWatch | undefined;
  #changes: InOrder<Change<T>> | undefined;
  #closed = false;

  constructor(options: StoreWatchOptions<T>) {
    this.#options = options;
    this.#selection = selectionOf(options.options, options.context.kind);
  }

  get deadline(): number | undefined {
    return this.#options.options.deadline;
  }

  start(sink: WatchSink<T>): void {
    if (this.#closed) return;
    this.#sink = sink;
    this.#options.opened(this);
    this.#run(sink).catch((error: unknown) => this.#fail(error, this.#options.from));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch?.close();
    this.#changes?.stop();
    this.#options.bookmarks.remove(this);
    this.#options.closed(this);
  }

  /** Ends the watch from the server's side, without an error. */
  finish(): void {
    if (this.#closed) return;
    this.close();
    this.#sink?.end();
  }

  bookmark(): void {
    // Pending values are not sent yet.
    if (this.#changes?.heldFrom !== undefined) return;
    const revision = this.#watch?.revision ?? 0;
    if (revision > this.#options.from) this.#sink?.event(newBookmark(this.#options.context.kind, revision));
  }

  async #run(sink: WatchSink<T>): Promise<void> {
    const { context, prefix, initial, options, bookmarks } = this.#options;
    const position = initial ? await this.#sendState(sink) : this.#options.from;
    if (this.#closed) return;
    if (options.sendInitialEvents === true && options.allowBookmarks)
      sink.event(initialEventsEnd(context.kind, position));
    const fail = (error: unknown): void => this.#fail(error, position);
    const changes = new InOrder<Change<T>>((change) => this.#deliver(sink, change), fail);
    this.#changes = changes;
    this.#watch = context.store.watch(
      { ...resourceRange(context, prefix), fromRevision: position + 1 },
      { event: (event) => changes.push(event.revision, () => changeOf(context, event), event.more), end: fail },
    );
    if (options.allowBookmarks) bookmarks.add(this);
    sink.caughtUp?.();
  }

  /** Sends the current state as ADDED; returns the revision of the read. */
  async #sendState(sink: WatchSink<T>): Promise<number> {
    const { context, prefix, options } = this.#options;
    const plan = { kind: 'newest', revision: 0, startKey: '', limit: 0, continuing: false, any: false } as const;
    const list = await listFromStore(context, prefix, options, plan);
    const slice = new TimeSlice();
    for (const item of list.items) {
      if (slice.over) {
        await slice.yield();
        await sink.ready?.();
      }
      if (this.#closed) break;
      sink.event(new ObjectEvent('ADDED', item as StoredEntry<T>));
    }
    return Number(list.resourceVersion);
  }

  #deliver(sink: WatchSink<T>, change: Change<T>): void {
    const event = change.eventFor(this.#selection);
    if (event !== undefined) sink.event(event);
  }

  #fail(error: unknown, position: number): void {
    if (this.#closed) return;
    this.close();
    const { context, failure } = this.#options;
    this.#sink?.end(isOrderlyEnd(error) ? undefined : failure(error, context.kind, position));
  }
}
