/** The gRPC codes that are distinguished here. Upstream: google.golang.org/grpc/codes */
export const GrpcCode = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const NAMES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists'],
  ...['PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange', 'Unimplemented'],
  ...['Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
] as const;

/** Go's name of a code: `DeadlineExceeded`, `Code(99)`. Upstream: google.golang.org/grpc/codes.Code.String */
export function grpcCodeName(code: number): string {
  return NAMES[code] ?? `Code(${code})`;
}

/** A failed call: rejected by the server, or interrupted. */
export class GrpcError extends Error {
  readonly grpcCode: number;
  /**
   * - refused: the server has rejected it.
   * - unsent: the server has certainly not begun with it, so another may be asked.
   * - unknown: it may have been executed in part or completely.
   */
  readonly outcome: 'refused' | 'unsent' | 'unknown';

  constructor(code: number, message: string, outcome: GrpcError['outcome'], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'GrpcError';
    this.grpcCode = code;
    this.outcome = outcome;
  }
}

/** An error as Go prints it. Upstream: google.golang.org/grpc/internal/status.Error */
export function grpcErrorText({ grpcCode, message }: GrpcError): string {
  return `rpc error: code = ${grpcCodeName(grpcCode)} desc = ${message}`;
}
