import type { Status, StatusCause, StatusReason } from '../types/status.js';

const BRAND = Symbol.for('@apiserver/apimachinery.StatusError');

/**
 * A failure that is returned to the client unchanged. Made by the factories (`newNotFound`, …). `isStatusError`
 * recognises it by brand, because two copies of this package may be loaded. Codes below 500 have no stack trace: one
 * costs a tenth of the response.
 *
 * Upstream: k8s.io/apimachinery/pkg/api/errors/errors.go
 */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  /** The body of the response. */
  readonly status: Status;

  constructor(status: Status) {
    const { stackTraceLimit } = Error;
    if (isAnswer(status)) Error.stackTraceLimit = 0;
    super(status.message ?? '');
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
  }
}

Object.defineProperty(StatusError.prototype, BRAND, { value: true });

/** Reports whether the status answers a request, and reports no fault of the server: nobody looks for its place. */
function isAnswer({ code = 500 }: Status): boolean {
  return code < 500;
}

/** Reports whether a thrown value is a StatusError, of this copy of the package or another. */
export function isStatusError(error: unknown): error is StatusError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** The reason of a StatusError; undefined for any other value, and for a Status without a reason. */
export function reasonForError(error: unknown): StatusReason | undefined {
  return statusOf(error)?.reason;
}

/** The first cause of that reason in the error's details. */
export function statusCause(error: unknown, reason: string): StatusCause | undefined {
  return statusOf(error)?.details?.causes?.find((cause) => cause.reason === reason);
}

/** The Status of a StatusError, or of one in the chain of causes of another error; undefined if there is none. */
export function statusOf(error: unknown): Status | undefined {
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    if (isStatusError(current)) return current.status;
    seen.add(current);
  }
  return undefined;
}

/**
 * Seconds after which the client is asked to retry; undefined when the error suggests no delay.
 * A ServerTimeout always suggests one, even of 0.
 */
export function suggestsClientDelay(error: unknown): number | undefined {
  const status = statusOf(error);
  if (status?.details === undefined) return undefined;
  const seconds = status.details.retryAfterSeconds ?? 0;
  return status.reason === 'ServerTimeout' || seconds > 0 ? seconds : undefined;
}
