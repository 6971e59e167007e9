import type { KubeObject } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { WatchSink, WatchSource } from '@apiserver/apiserver-contracts';

/**
 * A watch that only reports why it cannot be served. Upstream rejects only malformed requests before the response, and
 * reports other errors by an ERROR event.
 */
export function failedWatch<T extends KubeObject>(error: StatusError): WatchSource<T> {
  let closed = false;
  return {
    start(sink: WatchSink<T>): void {
      queueMicrotask(() => {
        if (!closed) sink.end(error);
      });
    },
    close(): void {
      closed = true;
    },
  };
}
