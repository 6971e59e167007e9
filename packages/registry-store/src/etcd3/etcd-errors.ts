import { GrpcCode, type GrpcError, grpcErrorText } from '../grpc/grpc-error.js';
import { KeyValueError } from '../key-value-error.js';

const COMPACTED = 'etcdserver: mvcc: required revision has been compacted';
const FUTURE_REVISION = 'etcdserver: mvcc: required revision is a future revision';
const NO_SPACE = 'etcdserver: mvcc: database space exceeded';
const TOO_LARGE = 'etcdserver: request is too large';

/** The reason why a read of a revision was rejected. */
export function revisionRefusal(error: GrpcError): 'compacted' | 'future' | undefined {
  if (error.message === COMPACTED) return 'compacted';
  return error.message === FUTURE_REVISION ? 'future' : undefined;
}

/** True if a transaction exceeds the server's limit on operations. Upstream: rpctypes.ErrGRPCTooManyOps */
export function isTooManyReads(error: GrpcError): boolean {
  return error.message === 'etcdserver: too many operations in txn request';
}

/** True if a put was rejected because its lease expired or was revoked. */
export function isUnknownLease(error: GrpcError): boolean {
  return error.message === 'etcdserver: requested lease not found';
}

/** True if the same idempotent call may succeed later, or at another server. */
export function isTransient(error: GrpcError): boolean {
  if (error.outcome !== 'refused') return true;
  return error.grpcCode === GrpcCode.unavailable || error.message === 'etcdserver: too many requests';
}

/** Codes with which etcd rejects a write without having changed anything; after others a write may still happen. */
const CLEAN_REFUSALS: ReadonlySet<number> = new Set([
  GrpcCode.invalidArgument,
  GrpcCode.notFound,
  GrpcCode.permissionDenied,
  GrpcCode.resourceExhausted,
  GrpcCode.failedPrecondition,
  GrpcCode.outOfRange,
  GrpcCode.unimplemented,
  GrpcCode.unauthenticated,
]);

/** True if it is unknown whether a write with this error was or will be made. */
export function isAmbiguous(error: GrpcError): boolean {
  if (error.outcome === 'unsent') return false;
  return error.outcome === 'unknown' || !CLEAN_REFUSALS.has(error.grpcCode);
}

/**
 * Converts a failure to a KeyValueError with the text of upstream's client.
 * Upstream: toErr of go.etcd.io/etcd/client/v3/client.go
 */
export function toKeyValueError(error: GrpcError): KeyValueError {
  const { message } = error;
  if (message === NO_SPACE) return new KeyValueError('NoSpace', message, { cause: error });
  const large = error.grpcCode === GrpcCode.resourceExhausted && message.includes('larger than max');
  if (message === TOO_LARGE || large) return new KeyValueError('TooLarge', TOO_LARGE, { cause: error });
  const isPlain = message.startsWith('etcdserver: ') || error.grpcCode === GrpcCode.deadlineExceeded;
  return new KeyValueError('Unavailable', isPlain ? message : grpcErrorText(error), { cause: error });
}
