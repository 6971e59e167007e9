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
  /** A change. Bookmarks do not arrive. */
  event(event: WatchEvent<T>): void;
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
  let seen: string | undefined;
  const onAbort = () => ended.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) return undefined;
    source.start({
      followsRestore: true,
      event(event) {
        seen = event.object.resourceVersion;
        if (event.type !== 'BOOKMARK') sink.event(event);
      },
      end: (error) => (error === undefined ? ended.resolve() : ended.reject(error)),
    });
    await ended.promise;
    return seen;
  } finally {
    signal.removeEventListener('abort', onAbort);
    source.close();
  }
}
