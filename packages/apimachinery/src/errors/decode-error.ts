const BRAND = Symbol.for('@apiserver/apimachinery.DecodeError');

/**
 * A body that does not decode. The message is upstream's, without the text that handlers add around it. Recognised by
 * `isDecodeError`. Values of `reason`:
 * - `syntax`: ill-formed text.
 * - `type`: a value that does not fit the kind.
 * - `form`: a form that the kind does not have.
 * - `values`: more values than the caller accepts.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly reason: 'syntax' | 'type' | 'form' | 'values';

  constructor(reason: DecodeError['reason'], message: string) {
    super(message);
    this.reason = reason;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Reports whether a thrown value is a DecodeError, of this copy of the package or another. */
export function isDecodeError(error: unknown): error is DecodeError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
