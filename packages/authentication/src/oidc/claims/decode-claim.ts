import { getOwn, jsonTypeName } from '@apiserver/apimachinery/json';
import { TokenError } from '../../token-error.js';

/** The claims of a token, which are verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** The value of a claim; undefined for an absent one. */
export function claimOf(claims: Claims, name: string): unknown {
  return getOwn(claims, name);
}

/** A claim as a text; null counts as "". Throws an Error in Go's words for a claim that is absent or no text. */
export function textClaim(claims: Claims, name: string): string {
  const value = claimOf(claims, name);
  if (value === undefined) throw new TokenError('claim not present');
  if (value !== null && typeof value !== 'string') throw wrongType(value, 'string');
  return value ?? '';
}

/** A claim as a bool; null counts as false. Throws an Error in Go's words for another type. */
export function boolClaim(value: unknown): boolean {
  if (value !== null && typeof value !== 'boolean') throw wrongType(value, 'bool');
  return value ?? false;
}

/** A text, or a list of texts. Throws an Error in Go's words for anything else. */
export function textsClaim(value: unknown): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value) || !value.every((one) => one === null || typeof one === 'string')) {
    throw wrongType(value, 'string');
  }
  return value.map((one: string | null) => one ?? '');
}

/** Upstream: UnmarshalTypeError of Go's encoding/json */
function wrongType(value: unknown, expected: string): TokenError {
  return new TokenError(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${expected}`);
}
