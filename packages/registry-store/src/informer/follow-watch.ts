import type { KubeObject } from '@apiserver/apimachinery';
import type { WatchSource } from '@apiserver/apiserver-contracts';
import type { ObjectView } from './object-view.js';

/**
 * Applies the events of a watch to the view until the watch ends or `signal` aborts. Resolves to the last version seen
 * (undefined: none), rejects with the error that ended the watch.
 */
export async function followWatch<T extends KubeObject>(
  source: WatchSource<T>,
  view: ObjectView<T>,
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
      event({ type, object }) {
        seen = object.resourceVersion;
        if (type === 'DELETED') view.remove(object.object);
        else if (type !== 'BOOKMARK') view.put(object.object);
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
