import { GrpcCode, type GrpcError } from '../grpc/grpc-error.js';
import { KeyValueError } from '../key-value-error.js';

const COMPACTED = 'etcdserver: mvcc: required revision has been compacted';
const FUTURE_REVISION = 'etcdserver: mvcc: required revision is a future revision';
const NO_SPACE = 'etcdserver: mvcc: database space exceeded';
const TOO_LARGE = 'etcdserver: request is too large';

/** What a refused read says about the revision it asked for. */
export function revisionRefusal(error: GrpcError): 'compacted' | 'future' | undefined {
  if (error.message === COMPACTED) return 'compacted';
  return error.message === FUTURE_REVISION ? 'future' : undefined;
}

/** True when a transaction has more operations than the server takes. Upstream: rpctypes.ErrGRPCTooManyOps */
export function isTooManyReads(error: GrpcError): boolean {
  return error.message === 'etcdserver: too many operations in txn request';
}

/** True when a put was refused because its lease has ended or been revoked. */
export function isUnknownLease(error: GrpcError): boolean {
  return error.message === 'etcdserver: requested lease not found';
}

/** True when the same call may well succeed a little later, or at another server, and asking twice does no harm. */
export function isTransient(error: GrpcError): boolean {
  if (error.outcome !== 'refused') return true;
  return error.grpcCode === GrpcCode.unavailable || error.message === 'etcdserver: too many requests';
}

/** Answers that etcd gives without having changed anything; after others a write may still happen. */
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

/** True when nobody knows whether a write that ended so has been made, or will be. */
export function isAmbiguous(error: GrpcError): boolean {
  if (error.outcome === 'unsent') return false;
  return error.outcome === 'unknown' || !CLEAN_REFUSALS.has(error.grpcCode);
}

/** The failure as the store's callers know it. */
export function toKeyValueError(error: GrpcError): KeyValueError {
  const { message } = error;
  if (message === NO_SPACE) return new KeyValueError('NoSpace', message, { cause: error });
  const large = error.grpcCode === GrpcCode.resourceExhausted && message.includes('larger than max');
  if (message === TOO_LARGE || large) return new KeyValueError('TooLarge', TOO_LARGE, { cause: error });
  return new KeyValueError('Unavailable', `etcd: ${message}`, { cause: error });
}
