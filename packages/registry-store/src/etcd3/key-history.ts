import type { Clock } from '@apiserver/apimachinery/clock';
import type { GrpcStream } from '../grpc/grpc-stream.js';
import type { KeyValueEvent } from '../key-value-store.js';
import type { EtcdConnection } from './etcd-connection.js';
import { decodeWatchResponse, encodeWatchCreation } from './messages/watch.js';
import { WATCH } from './methods.js';
import { toEvent } from './to-event.js';

const TIMEOUT_MS = 5000;

/** The state of a key whose change is looked for. */
export interface FirstChangeRequest {
  readonly connection: EtcdConnection;
  readonly clock: Clock;
  readonly key: string;
  /** Changes after this revision are considered. */
  readonly after: number;
  /** The mod revision of the state that was changed; 0 if there was none. */
  readonly from: number;
}

/**
 * The change of one state of a key, which must have happened. The current entry is insufficient, because it may have
 * changed twice. Undefined if it is not available: compacted, or the stream broke.
 */
export function readChangeOf(request: FirstChangeRequest): Promise<KeyValueEvent | undefined> {
  const { connection, clock, key, after, from } = request;
  return new Promise((resolve) => {
    const finish = (change: KeyValueEvent | undefined): void => {
      cancel();
      stream.abort();
      resolve(change);
    };
    const cancel = clock.schedule(() => finish(undefined), TIMEOUT_MS);
    const stream: GrpcStream = connection.open(WATCH, {
      message: (bytes) => {
        const { canceled, events } = decodeWatchResponse(bytes);
        const found = events.find((event) => (event.previous?.modRevision ?? 0) === from);
        if (canceled || found !== undefined) finish(found && toEvent(found));
      },
      end: () => finish(undefined),
    });
    stream.send(encodeWatchCreation({ key, end: `${key}\0`, startRevision: after + 1, previous: true }));
  });
}
