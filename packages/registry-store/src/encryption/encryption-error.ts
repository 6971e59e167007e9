import { GrpcError, grpcCodeName } from '../grpc/grpc-error.js';

/** A failure to encrypt, decrypt or configure. The message is upstream's, and includes its cause. */
export class EncryptionError extends Error {
  /** The gRPC code of the plugin call that caused it, if there was one. */
  readonly grpcCode: number | undefined;

  /** `from` is the cause. */
  constructor(message: string, from?: unknown) {
    super(message);
    this.name = 'EncryptionError';
    this.grpcCode = from instanceof GrpcError || from instanceof EncryptionError ? from.grpcCode : undefined;
  }
}

/** The status of a failure in metrics: the code of the gRPC call behind it, if there is one. */
export function statusOf(error: unknown): string {
  const code = error instanceof GrpcError || error instanceof EncryptionError ? error.grpcCode : undefined;
  return code === undefined ? 'unknown-non-grpc' : grpcCodeName(code);
}
