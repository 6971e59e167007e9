import type { KubeObject } from '@apiserver/apimachinery';
import type { FirstUse } from '../cacher/deferred-storage.js';
import { type FollowOptions, followResource } from './follow-resource.js';
import type { ResourceSink } from './resource-sink.js';
import { untilAborted } from './until-aborted.js';

/** Milliseconds. The first write goes on then, although neither a list nor a failure has come. */
const MAX_WAIT_MS = 10_000;

/** Dependencies of a follower that may begin with the first use of its resource. */
export interface FirstUseOptions<T extends KubeObject> extends FollowOptions<T> {
  /**
   * Tells whether the resource has no object yet. The sink then gets an empty list, and no request is sent before the
   * first use. The first write must wait until `ready` resolves. Default: the resource may have objects.
   */
  readonly unused?: ((ready: Promise<void>) => Promise<FirstUse | undefined>) | undefined;
}

/**
 * As `followResource`. A resource without objects gets no request before its first use, and its first object is not
 * stored before the sink follows: the sink then sees that object as early as with a watch. The wait has a limit.
 */
export async function followFromFirstUse<T extends KubeObject>(
  { unused, ...options }: FirstUseOptions<T>,
  sink: ResourceSink<T>,
  signal: AbortSignal,
): Promise<void> {
  const ready = Promise.withResolvers<void>();
  try {
    // The list finds the failure of a store again.
    const firstUse = await unused?.(ready.promise).catch(() => undefined);
    if (firstUse !== undefined) {
      await sink.replace([]);
      await untilAborted(firstUse.begun, signal).catch(() => {});
      const cancel = options.clock.schedule(ready.resolve, MAX_WAIT_MS);
      void ready.promise.then(cancel);
    }
    // A failure too: nobody waits until a repeated request succeeds.
    await followResource(options, sink, signal, ready.resolve);
  } finally {
    ready.resolve();
  }
}
