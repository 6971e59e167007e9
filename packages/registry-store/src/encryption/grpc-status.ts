import { GrpcError, grpcCodeName } from '../grpc/grpc-error.js';

/** The status that metrics give a failure: that of the gRPC call behind it, if there is one. */
export function statusOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof GrpcError) return grpcCodeName(at.grpcCode);
  }
  return 'unknown-non-grpc';
}
