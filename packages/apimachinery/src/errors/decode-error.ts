const BRAND = Symbol.for('@apiserver/apimachinery.DecodeError');

/**
 * A body that does not decode. The message is upstream's, without the words that handlers put around it; `cause` says
 * whether the text is not well-formed at all (`syntax`), or does not fit the kind (`type`), or asks for a form that the
 * kind does not have (`form`), or has more values than the caller takes (`values`). Recognised by `isDecodeError`.
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

/** Whether a thrown value is a DecodeError, of this copy of the package or another. */
export function isDecodeError(error: unknown): error is DecodeError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
