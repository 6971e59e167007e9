/** A JSON Web Key that is wrong, or of an unknown type. */
export class JsonWebKeyError extends Error {
  override readonly name = 'JsonWebKeyError';
}
