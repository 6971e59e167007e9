import { formatGroupResource, type KubeObject, type ListOptions } from '@apiserver/apimachinery';
import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import { isGone, isResourceExpired, isTooManyRequests, newInternalError } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Logger, WatchEvent, WatchSource } from '@apiserver/apiserver-contracts';
import { Backoff } from './backoff.js';
import type { FollowedClient } from './followed-client.js';
import type { ResourceSink } from './resource-sink.js';
import { StreamedList } from './streamed-list.js';
import { untilAborted } from './until-aborted.js';

/** Events that may wait for a sink, which decodes a large object for example. */
const MAX_WAITING = 1_000;

/** Dependencies of a follower. */
export interface FollowOptions<T extends KubeObject> {
  readonly client: FollowedClient<T>;
  /** "" for all namespaces, the default. */
  readonly namespace?: string;
  readonly clock: Clock;
  /** For the pauses between retries. */
  readonly random: RandomInt;
  readonly logger: Logger;
  /** Resolves when the resource is first used; it has no object before. Default: it may have objects. */
  readonly firstUse?: Promise<void> | undefined;
}

/**
 * Passes a resource's objects and changes to a sink until the signal aborts. It lists, watches, resumes from the last
 * version when a watch ends, and lists again when that version is too old. One watch lists and follows where the client
 * can do that. Nothing is decoded. `attempted` is called whenever the sink has the objects and a watch sends it the
 * changes, and whenever an attempt to get there has failed.
 * Upstream: k8s.io/client-go/tools/cache.Reflector
 */
export async function followResource<T extends KubeObject>(
  options: FollowOptions<T>,
  sink: ResourceSink<T>,
  signal: AbortSignal,
  attempted: () => void = () => {},
): Promise<void> {
  if (options.firstUse !== undefined) {
    await sink.replace([]);
    await untilAborted(options.firstUse, signal).catch(() => {});
  }
  const loop = { ...options, sink, signal, attempted, backoff: new Backoff(options.clock, options.random) };
  const streams = options.client.streamsLists === true;
  while (!signal.aborted) {
    try {
      const streamed = streams ? await watchFromStart(loop) : undefined;
      await watchFrom(streamed ?? (await listInto(loop)), loop);
    } catch (error) {
      if (signal.aborted) return;
      const resource = formatGroupResource(options.client.resource);
      options.logger.v(2)?.error(error, 'Informer lists again', { resource });
      attempted();
      // A list need not wait after a version that is too old.
      if (!isTooOld(error)) await loop.backoff.wait(signal);
    }
  }
}

function isTooOld(error: unknown): boolean {
  return isResourceExpired(error) || isGone(error);
}

interface WatchLoop<T extends KubeObject> extends FollowOptions<T> {
  readonly sink: ResourceSink<T>;
  readonly signal: AbortSignal;
  readonly attempted: () => void;
  readonly backoff: Backoff;
}

/** Returns the version of the list. */
async function listInto<T extends KubeObject>(loop: WatchLoop<T>): Promise<string> {
  const { client, namespace = '', sink, signal } = loop;
  const { items, resourceVersion } = await untilAborted(client.list(namespace), signal);
  await sink.replace(items);
  return resourceVersion;
}

/**
 * Follows a watch that begins with the present objects. Resolves to the last version seen when it ends normally, to
 * undefined if the server fails before it has sent them all: it may be one that cannot stream lists.
 * Upstream: Reflector.watchList
 */
async function watchFromStart<T extends KubeObject>(loop: WatchLoop<T>): Promise<string | undefined> {
  const { sink, attempted, signal, logger } = loop;
  const list = new StreamedList<T>({
    replace: async (listed) => {
      await sink.replace(listed);
      attempted();
    },
    event: (event) => sink.event(event),
  });
  let seen: string | undefined;
  try {
    const source = await openWatch(loop, { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
    seen = await followWatch(source, list, signal);
  } catch (error) {
    if (signal.aborted || list.isComplete || isTooManyRequests(error) || isTooOld(error)) throw error;
    const resource = formatGroupResource(loop.client.resource);
    logger.v(4)?.error(error, 'Informer lists, because the watch sent no list', { resource });
    return undefined;
  }
  if (seen === undefined || !list.isComplete) {
    throw newInternalError(new Error('the watch ended within its initial events'));
  }
  return seen;
}

/** Watches, and resumes when a watch ends normally; throws if a list is needed. */
async function watchFrom<T extends KubeObject>(version: string, loop: WatchLoop<T>): Promise<void> {
  const { sink, signal, attempted, backoff } = loop;
  const clock = durationClock(loop.clock);
  const changes: EventSink<T> = { event: (event) => (event.type === 'BOOKMARK' ? undefined : sink.event(event)) };
  let last = version;
  while (!signal.aborted) {
    const source = await openWatch(loop, { resourceVersion: last });
    const started = clock.now();
    const seen = await followWatch(source, changes, signal, attempted);
    // A watch that ends at once without events would be repeated endlessly.
    if (seen === undefined && clock.now() - started < 1000) await backoff.wait(signal);
    last = seen ?? last;
  }
}

function openWatch<T extends KubeObject>(
  { client, namespace = '', signal }: WatchLoop<T>,
  options: ListOptions,
): Promise<WatchSource<T>> {
  const pending = client.watch(namespace, { ...options, allowWatchBookmarks: true });
  return untilAborted(pending, signal, (late) => late.close());
}

/** Receives all events of a watch, bookmarks too. The next event waits for a promise. */
interface EventSink<T extends KubeObject> {
  event(event: WatchEvent<T>): Promise<void> | void;
}

/**
 * Passes the events of a watch on until the watch ends or `signal` aborts. Resolves to the last version seen
 * (undefined: none), rejects with the error that ended the watch.
 */
async function followWatch<T extends KubeObject>(
  source: WatchSource<T>,
  sink: EventSink<T>,
  signal: AbortSignal,
  started: () => void = () => {},
): Promise<string | undefined> {
  const ended = Promise.withResolvers<void>();
  const events = new OrderedEvents(sink, ended);
  const onAbort = () => ended.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) return undefined;
    source.start({
      followsRestore: true,
      event: (event) => events.push(event),
      ready: () => events.ready,
      end: (error) => events.finish(() => (error === undefined ? ended.resolve() : ended.reject(error))),
    });
    started();
    await ended.promise;
    return events.seen;
  } finally {
    events.stop();
    signal.removeEventListener('abort', onAbort);
    source.close();
  }
}

/** Settles the end of a watch; the first call counts. */
interface WatchEnd {
  resolve(): void;
  reject(error: unknown): void;
}

/** Passes events on in order, at once as long as the sink does not wait. */
class OrderedEvents<T extends KubeObject> {
  readonly #sink: EventSink<T>;
  readonly #end: WatchEnd;
  #waiting: (() => Promise<void> | void)[] = [];
  #draining: Promise<void> | undefined = undefined;
  #isFull = false;
  #seen: string | undefined;

  /** `end` is rejected with the rejection of the sink, after which nothing is passed on. */
  constructor(sink: EventSink<T>, end: WatchEnd) {
    this.#sink = sink;
    this.#end = end;
  }

  /** Pending while the sink waits. */
  get ready(): Promise<void> | undefined {
    return this.#draining;
  }

  /** The last version that was passed on. */
  get seen(): string | undefined {
    return this.#seen;
  }

  /** Ends the watch if too many wait for the sink. The next one resumes after the last that was passed on. */
  push(event: WatchEvent<T>): void {
    if (this.#waiting.length === MAX_WAITING && !this.#isFull) {
      this.#isFull = true;
      this.#waiting = [() => this.#end.resolve()];
    }
    if (this.#isFull) return;
    this.#next(() => {
      const taken = this.#sink.event(event);
      if (taken === undefined) this.#seen = event.object.resourceVersion;
      return taken?.then(() => {
        this.#seen = event.object.resourceVersion;
      });
    });
  }

  /** Calls back after all events so far. */
  finish(callback: () => void): void {
    this.#next(callback);
  }

  /** Drops the events that wait. */
  stop(): void {
    this.#waiting = [];
  }

  #next(task: () => Promise<void> | void): void {
    if (this.#draining !== undefined) {
      this.#waiting.push(task);
      return;
    }
    const taken = task();
    if (taken !== undefined) this.#draining = this.#drain(taken);
  }

  async #drain(first: Promise<void>): Promise<void> {
    try {
      await first;
      for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) await task();
      this.#draining = undefined;
    } catch (error) {
      this.stop();
      this.#end.reject(error);
    }
  }
}
