import type { KubeObject } from '@apiserver/apimachinery';
import { areSlicesWaiting, TimeSlice } from '@apiserver/apimachinery/clock';
import { newInternalError, type StatusError } from '@apiserver/apimachinery/errors';
import type { StorageWatchOptions, WatchEvent, WatchSink, WatchSource } from '@apiserver/apiserver-contracts';
import { type Change, ObjectEvent } from '../objects/change.js';
import { type Selection, selectionOf } from '../objects/selection.js';
import type { EntryKind } from '../objects/stored-entry.js';
import { initialEventsEnd } from '../objects/watch/bookmark-event.js';
import type { BookmarkReceiver } from '../objects/watch/bookmarks.js';
import type { EntriesAt } from './cache-state.js';
import { DeliveryTime } from './delivery-time.js';
import type { WatchScope } from './watcher-index.js';

/** Maximum number of objects visited at a time: a selector may have to decode them. */
const LOOKED_AT_ONCE = 8;
/** The process has one event loop. */
const deliveryTime = new DeliveryTime();
/** Number of events after which the client's backpressure is checked. */
const SENT_AT_ONCE = 64;

/** The cache as its watchers need it. */
export interface WatchedCache<T extends KubeObject> {
  readonly kind: EntryKind<T>;
  readonly revision: number;
  /** The current entries of a scope. Undefined if the cache is not current. */
  snapshot(prefix: string, scope: WatchScope): EntriesAt<T> | Promise<EntriesAt<T> | undefined>;
  /**
   * Some of the changes after `position`, oldest first, and the revision they reach. Empty if there are none. Read from
   * the store if the cache has dropped them; throws the error that ends the watch.
   */
  changesAfter(position: number): ChangesAfter<T> | Promise<ChangesAfter<T>>;
  /** Delivers every change of its scope to the watcher until it is detached. */
  attach(watcher: CacheWatcher<T>): void;
  /** Delivers nothing more to the watcher until it is attached again. */
  leave(watcher: CacheWatcher<T>): void;
  /** The watcher has ended. */
  detach(watcher: CacheWatcher<T>): void;
  failure(error: unknown, position: number): StatusError;
  bookmarkAt(revision: number): WatchEvent<T>;
  /** Number of objects sent as the initial state. */
  initialEvents(count: number): void;
  /** The shard selector of a watcher excluded a state of an object. */
  outsideShard(): void;
}

export interface ChangesAfter<T extends KubeObject> {
  readonly changes: readonly Change<T>[];
  readonly upTo: number;
}

export interface CacheWatcherOptions<T extends KubeObject> {
  readonly cache: WatchedCache<T>;
  readonly prefix: string;
  readonly scope: WatchScope;
  readonly options: StorageWatchOptions;
  /** Events after this revision; with `initial` the state at the start comes first instead. */
  readonly from: number;
  readonly initial: boolean;
}

/**
 * One watcher. It reads the past at its client's pace without buffering. The batch that reaches the present attaches it
 * in the same event loop turn. From then on a change costs one synchronous call. A watcher with a selector that a turn has no
 * time for reads the past again.
 */
export class CacheWatcher<T extends KubeObject> implements WatchSource<T>, BookmarkReceiver {
  readonly scope: WatchScope;
  readonly options: StorageWatchOptions;
  readonly #cache: WatchedCache<T>;
  readonly #prefix: string;
  readonly #initial: boolean;
  readonly #selection: Selection;
  #sink: WatchSink<T> | undefined;
  /** Everything up to this revision has been sent. Once live, it keeps the end of the past. */
  #position: number;
  #closed = false;
  #isAttached = false;
  /** The revision of the last change that was delivered live. */
  #live = 0;
  /** Called when an attached watcher is behind the present. */
  #late = (): void => {};
  /** Set if the cache ended the watch before its start. */
  #ending: { readonly error: StatusError | undefined } | undefined;

  constructor({ cache, prefix, scope, options, from, initial }: CacheWatcherOptions<T>) {
    this.scope = scope;
    this.options = options;
    this.#cache = cache;
    this.#prefix = prefix;
    this.#initial = initial;
    this.#position = from;
    this.#selection = selectionOf(options, cache.kind, () => cache.outsideShard());
  }

  get deadline(): number | undefined {
    return this.options.deadline;
  }

  /** Everything up to this revision has been sent, as far as known: a later change may have been. */
  get position(): number {
    return this.#position;
  }

  /** True if the present has been reached, and the sink takes a restore as a series of changes. */
  get followsRestore(): boolean {
    return this.#isAttached && this.#sink?.followsRestore === true;
  }

  /** Called once the cache delivers every change to this watcher. */
  attached(): void {
    this.#isAttached = true;
  }

  start(sink: WatchSink<T>): void {
    if (this.#sink !== undefined) throw new TypeError('a watch is started once');
    this.#sink = sink;
    // In a microtask, so that a sink is never called inside start.
    queueMicrotask(() => {
      if (this.#ending === undefined) this.#run(sink).catch((error: unknown) => this.#fail(error));
      else sink.end(this.#ending.error);
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cache.detach(this);
  }

  /** Ends the watch from the server's side; without an error the client simply reconnects. */
  finish(error?: StatusError): void {
    if (this.#closed) return;
    this.close();
    if (this.#sink === undefined) this.#ending = { error };
    else this.#sink.end(error);
  }

  /** Delivers a change in the watcher's scope. Never throws: an error of a sink only ends this watch. */
  deliver(change: Change<T>): void {
    if (change.revision <= this.#position || this.#closed) return;
    if (this.#isAttached && !this.#selection.empty && this.#fallsBehind(change)) return;
    try {
      const event = change.eventFor(this.#selection);
      if (event !== undefined) this.#sink?.event(event);
    } catch (error) {
      this.finish(newInternalError(error));
    }
  }

  bookmark(): void {
    const { revision } = this.#cache;
    if (this.#isAttached && revision >= this.#position && !this.#closed)
      this.#sink?.event(this.#cache.bookmarkAt(revision));
  }

  /** True if the turn has no time for a change: it is read from the past. */
  #fallsBehind({ revision, bytes }: Change<T>): boolean {
    // The rest of a revision cannot be read alone, and what a restore changes is not kept.
    const mustFollow = revision === this.#live || this.#sink?.followsRestore === true;
    if (mustFollow || !deliveryTime.isOver(bytes)) {
      this.#live = revision;
      return false;
    }
    this.#isAttached = false;
    this.#position = revision - 1;
    this.#cache.leave(this);
    this.#late();
    return true;
  }

  async #run(sink: WatchSink<T>): Promise<void> {
    const slice = new TimeSlice();
    if (this.#initial) await this.#sendState(sink, slice);
    let isFirst = true;
    while (!this.#closed) {
      const found = this.#cache.changesAfter(this.#position);
      const { changes, upTo } = found instanceof Promise ? await found : found;
      if (this.#closed) return;
      for (const [i, change] of changes.entries()) {
        if (slice.overAt(i, LOOKED_AT_ONCE, change.bytes)) await slice.yield();
        if (change.key.startsWith(this.#prefix)) this.deliver(change);
        if (this.#closed) return;
      }
      this.#position = Math.max(this.#position, upTo);
      if (changes.length > 0) await this.#pause(sink, slice);
      else if (upTo >= this.#cache.revision) {
        const late = Promise.withResolvers<void>();
        this.#late = late.resolve;
        this.#cache.attach(this);
        if (isFirst) sink.caughtUp?.();
        isFirst = false;
        if (this.#selection.empty) return;
        await late.promise;
        await slice.yield();
      }
    }
  }

  /** Sends the current state as ADDED, and the bookmark that ends the initial events if requested. */
  async #sendState(sink: WatchSink<T>, slice: TimeSlice): Promise<void> {
    const found = this.#cache.snapshot(this.#prefix, this.scope);
    const state = found instanceof Promise ? await found : found;
    // The cache has also ended this watch.
    if (state === undefined) return;
    this.#position = state.revision;
    // The first slice takes its turn, too: a client may start hundreds of watches.
    if (state.entries.length > LOOKED_AT_ONCE && areSlicesWaiting()) await slice.yield();
    let sent = 0;
    for (const [i, entry] of state.entries.entries()) {
      if (slice.overAt(i, LOOKED_AT_ONCE, entry.byteLength)) await slice.yield();
      if (this.#closed) return;
      if (!this.#selection.empty && !this.#selection.matches(entry)) continue;
      sink.event(new ObjectEvent('ADDED', entry));
      if (++sent % SENT_AT_ONCE === 0) await this.#pause(sink, slice);
    }
    this.#cache.initialEvents(sent);
    if (this.options.sendInitialEvents === true && this.options.allowBookmarks && !this.#closed) {
      sink.event(initialEventsEnd(this.#cache.kind, this.#position));
    }
  }

  /** Waits for the client's backpressure, and yields to the event loop when the time slice is used up. */
  async #pause(sink: WatchSink<T>, slice: TimeSlice): Promise<void> {
    const busy = sink.ready?.();
    if (busy !== undefined) await busy;
    if (slice.over) await slice.yield();
  }

  #fail(error: unknown): void {
    if (!this.#closed) this.finish(this.#cache.failure(error, this.#position));
  }
}
