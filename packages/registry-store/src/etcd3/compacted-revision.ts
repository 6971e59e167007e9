import type { Clock } from '@apiserver/apimachinery/clock';
import { GrpcError } from '../grpc/grpc-error.js';
import type { GrpcStream } from '../grpc/grpc-stream.js';
import { KeyValueError } from '../key-value-error.js';
import type { EtcdConnection } from './etcd-connection.js';
import { revisionRefusal, toKeyValueError } from './etcd-errors.js';
import { encodeRange } from './messages/range.js';
import { decodeWatchResponse, encodeWatchCreation } from './messages/watch.js';
import { RANGE, WATCH } from './methods.js';

const TIMEOUT_MS = 5000;
/** A key that is never written. */
const NOWHERE = '\0compacted-revision';

/** The revision of the last compaction; 0 if there was none. Throws KeyValueError. */
export async function readCompactedRevision(connection: EtcdConnection, clock: Clock): Promise<number> {
  try {
    await connection.read(RANGE, encodeRange({ key: NOWHERE, revision: 1, countOnly: true }));
    return 0;
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    if (revisionRefusal(error) !== 'compacted') throw toKeyValueError(error);
    return await askByWatching(connection, clock);
  }
}

/** Only a watch from a compacted revision reports this number. */
function askByWatching(connection: EtcdConnection, clock: Clock): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: KeyValueError): void => {
      cancel();
      stream.abort();
      reject(error);
    };
    const cancel = clock.schedule(
      () => fail(new KeyValueError('Unavailable', 'etcd: context deadline exceeded')),
      TIMEOUT_MS,
    );
    const stream: GrpcStream = connection.open(WATCH, {
      message: (bytes) => {
        const response = decodeWatchResponse(bytes);
        if (!response.canceled) return;
        cancel();
        stream.abort();
        resolve(response.compactRevision);
      },
      end: (error) => {
        fail(error === undefined ? new KeyValueError('Unavailable', 'etcd: the watch ended') : toKeyValueError(error));
      },
    });
    stream.send(encodeWatchCreation({ key: NOWHERE, end: `${NOWHERE}\0`, startRevision: 1, previous: false }));
  });
}
