import { TimeSlice } from '@apiserver/apimachinery/clock';
import { compareKeys } from '../key-order.js';
import { compactedError, KeyValueError } from '../key-value-error.js';
import {
  type KeyValueEvent,
  type KeyValueSink,
  type KeyValueWatch,
  type KeyValueWatchRequest,
  prefixEnd,
  type RestoredKey,
} from '../key-value-store.js';
import { toKeyValueError } from './to-key-value-error.js';

/** The store whose events the hub delivers. */
export interface EventSource {
  readonly revision: number;
  readonly compactedRevision: number;
  /** Past events from `first` on, at most `limit`, none after `revision`. Throws KeyValueError. */
  pastEvents(first: number, limit: number): readonly KeyValueEvent[];
}

const PAST_BATCH = 256;

/** The watches that events of a folder ("/registry/pods/default/") are delivered to. */
interface FolderGroups {
  readonly folder: string;
  readonly groups: readonly ReadonlySet<HubWatch>[];
}

/**
 * All running watches of a store. New events are delivered to those whose range contains the key; the past is read per
 * watch.
 */
export class WatchHub {
  readonly #source: EventSource;
  /** Watches of a whole folder ("/registry/pods/"), by that prefix: an event looks up its folders. */
  readonly #byFolder = new Map<string, Set<HubWatch>>();
  /** Watches of any other range. */
  readonly #others = new Set<HubWatch>();
  /** For the latest event: events come in runs, and V8 interns every string that it looks up in a Map. */
  #latest: FolderGroups | undefined;
  #ended: KeyValueError | undefined;

  constructor(source: EventSource) {
    this.#source = source;
  }

  watch(request: KeyValueWatchRequest, sink: KeyValueSink): KeyValueWatch {
    const next = request.fromRevision ?? this.#source.revision + 1;
    const watch = new HubWatch({ source: this.#source, request, sink, next, closed: (w) => this.#remove(w, request) });
    const ended = this.#ended;
    if (ended !== undefined) {
      setImmediate(() => watch.end(ended));
      return watch;
    }
    this.#groupFor(request).add(watch);
    watch.open();
    return watch;
  }

  /** Called once per event, in revision order, after the source has reached its revision. */
  dispatch(event: KeyValueEvent): void {
    for (const group of this.#groupsOf(event.key)) for (const watch of group) watch.deliver(event);
    for (const watch of this.#others) if (watch.covers(event.key)) watch.deliver(event);
  }

  /**
   * Called once the source holds another state, at a new revision. `changed` is in the order of keys. Resolves when
   * each sink is done.
   */
  async restored(revision: number, changed: readonly RestoredKey[]): Promise<void> {
    await Promise.allSettled(this.#all().map((watch) => watch.restored(revision, changed)));
  }

  /** Ends every watch, and every later one at once. */
  end(error: KeyValueError): void {
    this.#ended = error;
    for (const watch of this.#all()) watch.end(error);
  }

  /** A copy: watches may end meanwhile. */
  #all(): readonly HubWatch[] {
    return [...this.#byFolder.values(), this.#others].flatMap((group) => [...group]);
  }

  #groupsOf(key: string): readonly ReadonlySet<HubWatch>[] {
    const end = key.lastIndexOf('/') + 1;
    const latest = this.#latest;
    if (latest?.folder.length === end && key.startsWith(latest.folder)) return latest.groups;
    const groups: ReadonlySet<HubWatch>[] = [];
    for (let slash = key.indexOf('/'); slash !== -1; slash = key.indexOf('/', slash + 1)) {
      const group = this.#byFolder.get(key.slice(0, slash + 1));
      if (group !== undefined) groups.push(group);
    }
    this.#latest = { folder: key.slice(0, end), groups };
    return groups;
  }

  #groupFor(request: KeyValueWatchRequest): Set<HubWatch> {
    if (!isFolder(request)) return this.#others;
    const group = this.#byFolder.get(request.start) ?? new Set();
    this.#byFolder.set(request.start, group);
    this.#latest = undefined;
    return group;
  }

  #remove(watch: HubWatch, request: KeyValueWatchRequest): void {
    if (!isFolder(request)) {
      this.#others.delete(watch);
      return;
    }
    const group = this.#byFolder.get(request.start);
    group?.delete(watch);
    if (group?.size !== 0) return;
    this.#byFolder.delete(request.start);
    this.#latest = undefined;
  }
}

function isFolder({ start, end }: KeyValueWatchRequest): boolean {
  return start.endsWith('/') && end === prefixEnd(start);
}

interface HubWatchOptions {
  readonly source: EventSource;
  readonly request: KeyValueWatchRequest;
  readonly sink: KeyValueSink;
  /** The first revision to deliver. */
  readonly next: number;
  closed(watch: HubWatch): void;
}

class HubWatch implements KeyValueWatch {
  readonly #options: HubWatchOptions;
  /** The first revision not yet read while catching up, and the first one wanted afterwards. */
  #next: number;
  #state: 'catching-up' | 'live' | 'closed' = 'live';
  #caughtUp: PromiseWithResolvers<void> | undefined;

  constructor(options: HubWatchOptions) {
    this.#options = options;
    this.#next = options.next;
  }

  get revision(): number {
    return this.#state === 'live' ? this.#options.source.revision : this.#next - 1;
  }

  open(): void {
    if (this.#next > this.#options.source.revision) return;
    this.#state = 'catching-up';
    this.#caughtUp = Promise.withResolvers();
    setImmediate(() => this.#deliverPast());
  }

  catchUp(): Promise<void> | undefined {
    return this.#state === 'catching-up' ? this.#caughtUp?.promise : undefined;
  }

  covers(key: string): boolean {
    const { start, end } = this.#options.request;
    return compareKeys(key, start) >= 0 && compareKeys(key, end) < 0;
  }

  deliver(event: KeyValueEvent): void {
    if (this.#state === 'live' && event.revision >= this.#next) this.#hand(event);
  }

  restored(revision: number, changed: readonly RestoredKey[]): Promise<void> | void {
    const { request, sink } = this.#options;
    if (this.#state === 'closed') return;
    if (this.#state !== 'live' || sink.restored === undefined) {
      this.end(compactedError(revision));
      return;
    }
    try {
      const ofWatch = changed.slice(firstFrom(changed, request.start), firstFrom(changed, request.end));
      return sink.restored(revision, ofWatch);
    } catch (cause) {
      this.end(receiverFailed(cause));
    }
  }

  /** An error of a sink is a bug of its owner; the others must still receive the event. */
  #hand(event: KeyValueEvent): void {
    try {
      this.#options.sink.event(event);
    } catch (cause) {
      this.end(receiverFailed(cause));
    }
  }

  close(): void {
    this.#state = 'closed';
    this.#options.closed(this);
    this.#caughtUp?.resolve();
  }

  end(error: KeyValueError): void {
    if (this.#state === 'closed') return;
    this.close();
    this.#options.sink.end(error);
  }

  /** One batch per event loop turn; the batch that reaches the present makes the watch live in the same turn. */
  #deliverPast(): void {
    const { source } = this.#options;
    try {
      if (this.#state !== 'catching-up') return;
      if (this.#next <= source.compactedRevision) throw compactedError(source.compactedRevision);
      const events = source.pastEvents(this.#next, PAST_BATCH);
      const slice = new TimeSlice();
      let isCut = events.length === PAST_BATCH;
      for (const [i, event] of events.entries()) {
        this.#next = event.revision + 1;
        if (this.covers(event.key)) this.#hand(event);
        if (this.#closedMeanwhile()) return;
        // The receiver may have to decrypt it.
        if (!slice.over || i === events.length - 1) continue;
        isCut = true;
        break;
      }
      if (isCut) setImmediate(() => this.#deliverPast());
      else this.#becomeLive();
    } catch (error) {
      this.end(toKeyValueError(error));
    }
  }

  #closedMeanwhile(): boolean {
    return this.#state === 'closed';
  }

  #becomeLive(): void {
    this.#state = 'live';
    this.#caughtUp?.resolve();
  }
}

function receiverFailed(cause: unknown): KeyValueError {
  return new KeyValueError('Unavailable', 'the receiver of a watch failed', { cause });
}

/** The index of the first of the ordered keys at or after `start`. */
function firstFrom(keys: readonly RestoredKey[], start: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(keys[middle]?.key ?? '', start) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
