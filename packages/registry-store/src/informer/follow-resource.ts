import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isGone, isResourceExpired } from '@apiserver/apimachinery/errors';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Logger, ResourceClient, StoredObject, WatchEvent, WatchSource } from '@apiserver/apiserver-contracts';
import { Backoff } from './backoff.js';
import { untilAborted } from './until-aborted.js';

/** Dependencies of a follower. */
export interface FollowOptions<T extends KubeObject> {
  readonly client: Pick<ResourceClient<T>, 'list' | 'watch'>;
  /** "" for all namespaces, the default. */
  readonly namespace?: string;
  readonly clock: Clock;
  /** For the pauses between retries. */
  readonly random: RandomInt;
  readonly logger: Logger;
}

/** Receives the state of a resource. */
export interface ResourceSink<T extends KubeObject> {
  /** A fresh list: what is missing from it has been deleted. No event comes before a promise resolves. */
  replace(listed: readonly StoredObject<T>[]): Promise<void> | void;
  /** A change. Bookmarks do not arrive. The next change waits for a promise; its rejection ends the watch. */
  event(event: WatchEvent<T>): Promise<void> | void;
}

/**
 * Passes a resource's objects and changes to a sink until the signal aborts. It lists, watches, resumes from the last
 * version when a watch ends, and lists again when that version is too old. Nothing is decoded.
 * Upstream: k8s.io/client-go/tools/cache.Reflector
 */
export async function followResource<T extends KubeObject>(
  options: FollowOptions<T>,
  sink: ResourceSink<T>,
  signal: AbortSignal,
): Promise<void> {
  const backoff = new Backoff(options.clock, options.random);
  while (!signal.aborted) {
    try {
      await watchFrom(await listInto(options, sink, signal), { ...options, sink, signal, backoff });
    } catch (error) {
      if (signal.aborted) return;
      options.logger.v(2)?.error(error, 'Informer lists again');
      // A list need not wait after a version that is too old.
      if (!isResourceExpired(error) && !isGone(error)) await backoff.wait(signal);
    }
  }
}

/** Returns the version of the list. */
async function listInto<T extends KubeObject>(
  { client, namespace = '' }: FollowOptions<T>,
  sink: ResourceSink<T>,
  signal: AbortSignal,
): Promise<string> {
  const { items, resourceVersion } = await untilAborted(client.list(namespace), signal);
  await sink.replace(items);
  return resourceVersion;
}

interface WatchLoop<T extends KubeObject> extends FollowOptions<T> {
  readonly sink: ResourceSink<T>;
  readonly signal: AbortSignal;
  readonly backoff: Backoff;
}

/** Watches, and resumes when a watch ends normally; throws if a list is needed. */
async function watchFrom<T extends KubeObject>(version: string, loop: WatchLoop<T>): Promise<void> {
  const { client, namespace = '', clock, sink, signal, backoff } = loop;
  let last = version;
  while (!signal.aborted) {
    const pending = client.watch(namespace, { resourceVersion: last, allowWatchBookmarks: true });
    const source = await untilAborted(pending, signal, (late) => late.close());
    const started = clock.now();
    const seen = await followWatch(source, sink, signal);
    // A watch that ends at once without events would be repeated endlessly.
    if (seen === undefined && clock.now() - started < 1000) await backoff.wait(signal);
    last = seen ?? last;
  }
}

/**
 * Passes the events of a watch on until the watch ends or `signal` aborts. Resolves to the last version seen
 * (undefined: none), rejects with the error that ended the watch.
 */
async function followWatch<T extends KubeObject>(
  source: WatchSource<T>,
  sink: ResourceSink<T>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ended = Promise.withResolvers<void>();
  const events = new OrderedEvents(sink, ended.reject);
  const onAbort = () => ended.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) return undefined;
    source.start({
      followsRestore: true,
      event: (event) => events.push(event),
      end: (error) => events.finish(() => (error === undefined ? ended.resolve() : ended.reject(error))),
    });
    await ended.promise;
    return events.seen;
  } finally {
    events.stop();
    signal.removeEventListener('abort', onAbort);
    source.close();
  }
}

/** Passes events on in order, at once as long as the sink does not wait. */
class OrderedEvents<T extends KubeObject> {
  readonly #sink: ResourceSink<T>;
  readonly #fail: (error: unknown) => void;
  readonly #waiting: (() => Promise<void> | void)[] = [];
  #isBusy = false;
  #seen: string | undefined;

  /** `fail` receives the rejection of the sink. Nothing is passed on after it. */
  constructor(sink: ResourceSink<T>, fail: (error: unknown) => void) {
    this.#sink = sink;
    this.#fail = fail;
  }

  /** The last version that was passed on. */
  get seen(): string | undefined {
    return this.#seen;
  }

  push(event: WatchEvent<T>): void {
    this.#next(() => {
      const taken = event.type === 'BOOKMARK' ? undefined : this.#sink.event(event);
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
    this.#waiting.length = 0;
  }

  #next(task: () => Promise<void> | void): void {
    if (this.#isBusy) {
      this.#waiting.push(task);
      return;
    }
    const taken = task();
    if (taken !== undefined) void this.#drain(taken);
  }

  async #drain(first: Promise<void>): Promise<void> {
    this.#isBusy = true;
    try {
      await first;
      for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) await task();
      this.#isBusy = false;
    } catch (error) {
      this.stop();
      this.#fail(error);
    }
  }
}
