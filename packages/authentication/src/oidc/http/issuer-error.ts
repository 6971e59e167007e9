import { jsonTypeName } from '@apiserver/apimachinery/json';

/** An issuer that cannot be reached, or does not respond as it must. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';
}

/** The error of encoding/json for a value in an issuer's document that is of another type than the Go type `type`. */
export function mistyped(value: unknown, type: string): IssuerError {
  return new IssuerError(`json: cannot unmarshal ${jsonTypeName(value)} into ${type}`);
}
