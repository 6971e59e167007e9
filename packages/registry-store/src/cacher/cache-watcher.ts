import type { KubeObject } from '@apiserver/apimachinery';
import { newInternalError, type StatusError } from '@apiserver/apimachinery/errors';
import type { StorageWatchOptions, WatchEvent, WatchSink, WatchSource } from '@apiserver/apiserver-contracts';
import { TimeSlice } from '../mvcc/yielding.js';
import { type Change, ObjectEvent } from '../objects/change.js';
import { type Selection, selectionOf } from '../objects/selection.js';
import type { EntryKind } from '../objects/stored-entry.js';
import { initialEventsEnd } from '../objects/watch/bookmark-event.js';
import type { BookmarkReceiver } from '../objects/watch/bookmarks.js';
import type { EntriesAt } from './cache-state.js';
import type { WatchScope } from './watcher-index.js';

/** A selector may have to parse what it looks at: so many at a time at most. */
const LOOKED_AT_ONCE = 8;
/** So many events, and the client is asked whether it can take more. */
const SENT_AT_ONCE = 64;

/** What a watcher needs of the cache it watches. */
export interface WatchedCache<T extends KubeObject> {
  readonly kind: EntryKind<T>;
  readonly revision: number;
  /** The entries of a scope, as they are now. Undefined: the cache is not kept up any more. */
  snapshot(prefix: string, scope: WatchScope): EntriesAt<T> | Promise<EntriesAt<T> | undefined>;
  /**
   * Some of the changes after `position`, oldest first, and how far they reach. Empty: there is none. From the store
   * when the cache has forgotten; throws what ends the watch.
   */
  changesAfter(position: number): ChangesAfter<T> | Promise<ChangesAfter<T>>;
  /** From now on the watcher gets every change of its scope, until detached. */
  attach(watcher: CacheWatcher<T>): void;
  detach(watcher: CacheWatcher<T>): void;
  failure(error: unknown, position: number): StatusError;
  bookmarkAt(revision: number): WatchEvent<T>;
  /** So many objects were sent as the state the watch begins with. */
  initialEvents(count: number): void;
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
 * One watcher. It reads the past from where it stands, at its client's pace, and holds nothing meanwhile; the batch that
 * reaches the present attaches it in the same turn. From then on a change costs one synchronous call.
 */
export class CacheWatcher<T extends KubeObject> implements WatchSource<T>, BookmarkReceiver {
  readonly scope: WatchScope;
  readonly options: StorageWatchOptions;
  readonly #cache: WatchedCache<T>;
  readonly #prefix: string;
  readonly #initial: boolean;
  readonly #selection: Selection;
  #sink: WatchSink<T> | undefined;
  /** Everything up to this revision has been sent. Live, it stays where the past ended. */
  #position: number;
  #closed = false;
  /** How the cache ended it before it was started. */
  #ending: { readonly error: StatusError | undefined } | undefined;

  constructor({ cache, prefix, scope, options, from, initial }: CacheWatcherOptions<T>) {
    this.scope = scope;
    this.options = options;
    this.#cache = cache;
    this.#prefix = prefix;
    this.#initial = initial;
    this.#position = from;
    this.#selection = selectionOf(options, cache.kind);
  }

  get deadline(): number | undefined {
    return this.options.deadline;
  }

  start(sink: WatchSink<T>): void {
    if (this.#sink !== undefined) throw new TypeError('a watch is started once');
    this.#sink = sink;
    // In a later microtask, so that a sink is never called from within start.
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

  /** Ends the watch from the server's side; without an error the client just comes back. */
  finish(error?: StatusError): void {
    if (this.#closed) return;
    this.close();
    if (this.#sink === undefined) this.#ending = { error };
    else this.#sink.end(error);
  }

  /** A change in the watcher's scope. Never throws: what a sink throws ends this watch alone. */
  deliver(change: Change<T>): void {
    if (change.revision <= this.#position || this.#closed) return;
    try {
      const event = change.eventFor(this.#selection);
      if (event !== undefined) this.#sink?.event(event);
    } catch (error) {
      this.finish(newInternalError(error));
    }
  }

  bookmark(): void {
    const { revision } = this.#cache;
    if (revision >= this.#position && !this.#closed) this.#sink?.event(this.#cache.bookmarkAt(revision));
  }

  async #run(sink: WatchSink<T>): Promise<void> {
    const slice = new TimeSlice();
    if (this.#initial) await this.#sendState(sink, slice);
    while (!this.#closed) {
      const found = this.#cache.changesAfter(this.#position);
      const { changes, upTo } = found instanceof Promise ? await found : found;
      for (const [i, change] of changes.entries()) {
        if (slice.overAt(i, LOOKED_AT_ONCE, change.bytes)) await slice.yield();
        if (change.key.startsWith(this.#prefix)) this.deliver(change);
        if (this.#closed) return;
      }
      this.#position = Math.max(this.#position, upTo);
      if (changes.length > 0) await this.#pause(sink, slice);
      else if (upTo >= this.#cache.revision) {
        this.#cache.attach(this);
        return;
      }
    }
  }

  /** Sends what there is as ADDED, and the bookmark that ends it for who asked for initial events. */
  async #sendState(sink: WatchSink<T>, slice: TimeSlice): Promise<void> {
    const found = this.#cache.snapshot(this.#prefix, this.scope);
    const state = found instanceof Promise ? await found : found;
    // Then the cache has ended this watch too.
    if (state === undefined) return;
    this.#position = state.revision;
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

  /** Lets the client take what it has got, and the event loop turn when it is time. */
  async #pause(sink: WatchSink<T>, slice: TimeSlice): Promise<void> {
    const busy = sink.ready?.();
    if (busy !== undefined) await busy;
    if (slice.over) await slice.yield();
  }

  #fail(error: unknown): void {
    if (!this.#closed) this.finish(this.#cache.failure(error, this.#position));
  }
}
