import { messageOf } from '@apiserver/apimachinery/errors';
import { GrpcError, grpcCodeName, grpcErrorText } from '@apiserver/registry-store/grpc';

/** An external signer that does not respond as it must. The message is upstream's. */
export class SignerError extends Error {
  override readonly name = 'SignerError';
}

/** A SignerError about another one. */
export function signerErrorOf(what: string, error: unknown): SignerError {
  const reason = error instanceof GrpcError ? grpcErrorText(error) : messageOf(error);
  return new SignerError(`${what}: ${reason}`, { cause: error });
}

/** The gRPC code of a failure, for metrics. Upstream: getErrorCode of pkg/serviceaccount/externaljwt/metrics */
export function codeOfFailure(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof GrpcError) return grpcCodeName(at.grpcCode);
  }
  return 'unknown-non-grpc';
}
