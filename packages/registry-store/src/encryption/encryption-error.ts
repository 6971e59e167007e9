import { GrpcError, grpcCodeName } from '../grpc/grpc-error.js';

/** What cannot be encrypted, decrypted or configured. The message is upstream's, and has in it what led to it. */
export class EncryptionError extends Error {
  /** That of the call to a plugin that led to it, if there was one. */
  readonly grpcCode: number | undefined;

  /** `from`: what led to it. */
  constructor(message: string, from?: unknown) {
    super(message);
    this.name = 'EncryptionError';
    this.grpcCode = from instanceof GrpcError || from instanceof EncryptionError ? from.grpcCode : undefined;
  }
}

/** The status that metrics give a failure: that of the gRPC call behind it, if there is one. */
export function statusOf(error: unknown): string {
  const code = error instanceof GrpcError || error instanceof EncryptionError ? error.grpcCode : undefined;
  return code === undefined ? 'unknown-non-grpc' : grpcCodeName(code);
}
