import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, durationClock, runSliced } from '@apiserver/apimachinery/clock';
import { ByteSlabs } from '../kept/byte-slabs.js';
import { compareKeys } from '../key-order.js';
import { compactedError } from '../key-value-error.js';
import {
  type KeyValueEvent,
  type KeyValueSink,
  type KeyValueWatch,
  prefixEnd,
  type RestoredKey,
} from '../key-value-store.js';
import { Change } from '../objects/change.js';
import { currentOf, listedEntry } from '../objects/entry-of.js';
import { type ResourceContext, resourceRange } from '../objects/resource-context.js';
import type { StoredEntry } from '../objects/stored-entry.js';
import { InOrder } from '../objects/watch/in-order.js';
import { OrderedMap } from '../ordered-map.js';
import type { CacheMetrics } from './cache-metrics.js';
import { EventWindow, type WindowBounds } from './event-window.js';
import { FieldIndex } from './field-index.js';
import { OfferedObjects } from './offered-objects.js';
import { undoChanges } from './past-state.js';
import { readAll } from './read-all.js';
import { WrittenEntries } from './written-entries.js';

/** After every key. */
const END = '\u{10ffff}';
/** Undoing more changes takes longer than reading a page from the store. */
const MAX_UNDONE = 10_000;

/** The state of a key from a revision on. */
interface Arrival<T extends KubeObject> {
  readonly key: string;
  readonly revision: number;
  /** Undefined if the key was deleted. */
  readonly current: StoredEntry<T> | undefined;
  /** True if the entry has the written object for the time of its delivery. */
  readonly isOffered?: boolean;
}

/** Entries at one revision. */
export interface EntriesAt<T extends KubeObject> {
  readonly entries: readonly StoredEntry<T>[];
  readonly revision: number;
}

export interface CacheStateOptions<T extends KubeObject> {
  readonly context: ResourceContext<T>;
  readonly window: WindowBounds;
  readonly clock: Clock;
  readonly metrics: CacheMetrics;
  /** Called for each change, after it is applied to the state. */
  changed(change: Change<T>): void;
  /** The store is being restored: called before `changed` is, for each key that differs. */
  restoring(revision: number): void;
  /** Called when all of them are applied. */
  restored(): void;
  /** The feed broke: the state is no longer current. */
  lost(error: unknown): void;
}

/**
 * The current objects of a resource and its newest changes, fed by one watch on the key-value store. With an in-process
 * store it changes in the same event loop turn in which a commit becomes visible.
 */
export class CacheState<T extends KubeObject> implements KeyValueSink {
  readonly entries = new OrderedMap<StoredEntry<T>>();
  readonly window: EventWindow<T>;
  /** For stores that deliver changes some time after the commit. */
  readonly written = new WrittenEntries<T>();
  /** For stores that deliver changes before the writer knows of its commit. */
  readonly offered = new OfferedObjects<T>();
  readonly #options: CacheStateOptions<T>;
  readonly #slabs = new ByteSlabs();
  #watch: KeyValueWatch | undefined;
  #changes: InOrder<Arrival<T>> | undefined;
  #lastChange = 0;
  #storedBytes = 0;
  /** The past is reliable from here on; undefined while the state is known to be wrong. */
  #trustedFrom: number | undefined = 0;
  #index: FieldIndex<T> | undefined;
  #indexed: Promise<void> | undefined;

  constructor(options: CacheStateOptions<T>) {
    this.#options = options;
    const { window: bounds, clock, metrics } = options;
    const passing = durationClock(clock);
    const resized = (before: number, capacity: number): void => metrics.resized(before, capacity);
    this.window = new EventWindow({ bounds, now: () => passing.now(), resized });
  }

  /** The state is the store's at this revision. */
  get revision(): number {
    const heldFrom = this.#changes?.heldFrom;
    return heldFrom === undefined ? (this.#watch?.revision ?? 0) : heldFrom - 1;
  }

  /** Bytes of all entries in the store. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** The revision of the last change of the state. */
  get lastChange(): number {
    return this.#lastChange;
  }

  /** Records whether the state matches the store. History from a time when it did not is dropped. */
  trust(isRight: boolean): void {
    if (!isRight) this.#trustedFrom = undefined;
    else this.#trustedFrom ??= this.revision;
  }

  /** Reports whether the state was right at a revision, as far as known. */
  isTrusted(revision: number): boolean {
    return this.#trustedFrom !== undefined && revision >= this.#trustedFrom;
  }

  /** See KeyValueWatch. */
  catchUp(): Promise<void> | undefined {
    const behind = this.#watch?.catchUp();
    if (behind === undefined) return this.#changes?.drained();
    return behind.then(() => this.#changes?.drained());
  }

  /** Reads everything and follows changes from there. Throws StorageError. */
  async load(): Promise<void> {
    const { context } = this.#options;
    const { start, end } = resourceRange(context, '');
    this.stop();
    for (const entry of this.entries.values('', END)) entry.leaveCache();
    this.entries.clear();
    this.#slabs.clear();
    this.#index = undefined;
    this.#storedBytes = 0;
    this.#trustedFrom = 0;
    this.written.clear();
    const revision = await readAll(context, {
      allocate: this.#slabs.allocate,
      take: (entry) => {
        this.#slabs.place(entry);
        this.entries.set(entry.key, entry);
        entry.enterCache();
        this.#storedBytes += entry.storedBytes;
      },
    });
    this.#slabs.pack();
    this.window.reset(revision);
    this.#lastChange = revision;
    this.#changes = new InOrder(
      (arrival) => this.#take(arrival),
      (error) => this.#fail(error),
    );
    this.#watch = context.store.watch({ start, end, fromRevision: revision + 1, previous: false }, this);
    // Readers that need the writes of others request them.
    if ((context.store.freshness ?? 'immediate') === 'immediate') await this.#watch.catchUp();
  }

  stop(): void {
    this.#watch?.close();
    this.#watch = undefined;
    this.#changes?.stop();
    this.#changes = undefined;
  }

  event(event: KeyValueEvent): void {
    const { context } = this.#options;
    const { revision } = event;
    const key = event.key.slice(context.kind.prefix.length);
    // Applied at once, before memory is allocated for another entry.
    const isNext = event.more !== true && this.#changes?.heldFrom === undefined;
    this.#changes?.push(
      revision,
      () => {
        const written = this.written.take(key, revision);
        if (written !== undefined && event.type === 'put') written.storedBytes = event.value.length;
        const current = written ?? currentOf(context, event, isNext ? this.#slabs.allocate : undefined);
        if (current instanceof Promise) return current.then((entry) => ({ key, revision, current: entry }));
        const object = event.type === 'put' ? this.offered.of(event.value) : undefined;
        if (object === undefined) return { key, revision, current };
        current?.offerWritten(object);
        return { key, revision, current, isOffered: true };
      },
      event.more,
    );
  }

  /** Applies a restore in the store's turn. A state that has to wait for a key or a webhook is read again instead. */
  restored(revision: number, changed: readonly RestoredKey[]): void {
    const { context, restoring, restored } = this.#options;
    try {
      if (this.#changes?.heldFrom !== undefined) throw compactedError(revision);
      this.window.reset(revision);
      this.written.clear();
      restoring(revision);
      for (const { key, current } of changed) {
        const entry = current && listedEntry(context, current, this.#slabs.allocate);
        if (entry instanceof Promise) {
          entry.catch(() => {});
          throw compactedError(revision);
        }
        this.#take({ key: key.slice(context.kind.prefix.length), revision, current: entry });
      }
      this.#lastChange = revision;
      restored();
    } catch (error) {
      this.#fail(error);
    }
  }

  #take({ key, revision, current, isOffered = false }: Arrival<T>): void {
    const { context } = this.#options;
    const previous = current === undefined ? this.entries.delete(key) : this.entries.set(current.key, current);
    this.#storedBytes += (current?.storedBytes ?? 0) - (previous?.storedBytes ?? 0);
    if (current !== undefined) {
      this.#slabs.place(current);
      current.enterCache();
    }
    if (previous !== undefined) {
      this.#slabs.release(previous);
      previous.leaveCache();
    }
    this.#index?.change(previous, current);
    const change = new Change(key, revision, { current, previous });
    this.window.add(change);
    this.#options.metrics.changed(revision);
    this.#lastChange = revision;
    this.#options.changed(change);
    if (isOffered) current?.withdrawWritten();
    // A selector may have decoded it just before.
    if (previous !== undefined) context.kind.decoded.drop(previous);
    change.forgetEvents();
  }

  #fail(error: unknown): void {
    this.stop();
    this.#options.lost(error);
  }

  end(error: unknown): void {
    this.#watch = undefined;
    this.stop();
    this.#options.lost(error);
  }

  /** The entries by their indexed field; the index is built on first use. Undefined if the state is not current. */
  async indexed(value: string, prefix: string, startKey: string): Promise<EntriesAt<T> | undefined> {
    // An index of part of the entries would never receive the rest.
    if (this.#watch === undefined) return undefined;
    const index = this.#index ?? new FieldIndex();
    if (this.#index === undefined) {
      this.#index = index;
      // All lists wait for it, not only the first one.
      this.#indexed = runSliced(undefined, () => index.build(this.range('')));
    }
    await this.#indexed;
    // The cache was refilled in the meantime.
    if (this.#index !== index || this.#watch === undefined) return await this.indexed(value, prefix, startKey);
    const [start, end] = relativeRange(prefix);
    return { entries: index.entries(value, start + startKey, end), revision: this.revision };
  }

  /**
   * At least `limit` entries of a range at a revision, if there are as many. Undefined if too much has changed since,
   * or the history is gone.
   */
  rangeAt(revision: number, range: { readonly prefix: string; readonly startKey: string }, limit: number) {
    const { prefix, startKey } = range;
    const changes = this.window.after(revision, MAX_UNDONE + 1);
    if (changes === undefined || changes.length > MAX_UNDONE) return undefined;
    const [start, end] = relativeRange(prefix);
    const first = start + startKey;
    const inRange = changes.filter(({ key }) => compareKeys(key, first) >= 0 && compareKeys(key, end) < 0);
    const present = {
      has: (key: string) => this.entries.get(key) !== undefined,
      count: this.count(prefix, startKey),
      entries: (most: number) => this.range(prefix, startKey, most),
    };
    return undoChanges(inRange, present, limit);
  }

  /** Entries below a relative prefix. */
  range(prefix: string, startKey = '', limit?: number): StoredEntry<T>[] {
    const [start, end] = relativeRange(prefix);
    return this.entries.values(start + startKey, end, limit);
  }

  count(prefix: string, startKey: string): number {
    const [start, end] = relativeRange(prefix);
    return this.entries.count(start + startKey, end);
  }
}

function relativeRange(prefix: string): readonly [start: string, end: string] {
  return prefix === '' ? ['', END] : [prefix, prefixEnd(prefix)];
}
