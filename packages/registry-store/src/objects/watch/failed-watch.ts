import type { KubeObject } from '@apiserver/apimachinery';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { WatchSink, WatchSource } from '@apiserver/apiserver-contracts';

/**
 * A watch that is accepted only to say why it cannot be served: upstream refuses before the response only what is
 * malformed, and tells the rest by an ERROR event.
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
