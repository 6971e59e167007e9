const BRAND = Symbol.for('@apiserver/apimachinery.ParseError');

/**
 * Text from outside that does not parse: a selector, a quantity, an apiVersion, a patch. The message is upstream's; the
 * caller chooses the response. Recognised by `isParseError`.
 */
export class ParseError extends Error {
  override readonly name = 'ParseError';

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Reports whether a thrown value is a ParseError, of this copy of the package or another. */
export function isParseError(error: unknown): error is ParseError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
