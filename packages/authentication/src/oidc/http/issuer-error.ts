/** An issuer that cannot be reached, or does not respond as it must. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';
}
