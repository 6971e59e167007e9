import type { KubeObject } from '@apiserver/apimachinery';
import type { FirstUse } from '../cacher/deferred-storage.js';
import { type FollowOptions, followResource } from './follow-resource.js';
import type { ResourceSink } from './resource-sink.js';
import { untilAborted } from './until-aborted.js';

/** Dependencies of a follower that may begin with the first use of its resource. */
export interface FirstUseOptions<T extends KubeObject> extends FollowOptions<T> {
  /**
   * Tells whether the resource has no object yet. The sink then gets an empty list, and no request is sent before the first
   * use. Default: the resource may have objects.
   */
  readonly unused?: (() => Promise<FirstUse | undefined>) | undefined;
}

/**
 * As `followResource`. A resource without objects gets no request before its first use, and its first object is not stored
 * before the sink has the list: the sink then sees that object as early as with a watch.
 */
export async function followFromFirstUse<T extends KubeObject>(
  { unused, ...options }: FirstUseOptions<T>,
  sink: ResourceSink<T>,
  signal: AbortSignal,
): Promise<void> {
  // The list finds the failure of a store again.
  const firstUse = await unused?.().catch(() => undefined);
  if (firstUse === undefined) return await followResource(options, sink, signal);
  const listed = Promise.withResolvers<void>();
  firstUse.precede(listed.promise);
  try {
    await sink.replace([]);
    await untilAborted(firstUse.begun, signal).catch(() => {});
    const replace: typeof sink.replace = async (objects) => {
      await sink.replace(objects);
      listed.resolve();
    };
    const client = onceFailed(options.client, listed.resolve);
    await followResource({ ...options, client }, { replace, event: (event) => sink.event(event) }, signal);
  } finally {
    listed.resolve();
  }
}

/** The client, whose failures are reported: nobody waits until a repeated request succeeds. */
function onceFailed<T extends KubeObject>(
  client: FirstUseOptions<T>['client'],
  failed: () => void,
): FirstUseOptions<T>['client'] {
  const reporting = <R>(response: Promise<R>): Promise<R> => {
    response.catch(failed);
    return response;
  };
  return {
    ...(client.streamsLists !== undefined && { streamsLists: client.streamsLists }),
    list: (...parameters) => reporting(client.list(...parameters)),
    watch: (...parameters) => reporting(client.watch(...parameters)),
  };
}
