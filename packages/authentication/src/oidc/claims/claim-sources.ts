import { goField, isMembers, jsonTypeName } from '@apiserver/apimachinery/json';
import { TokenError } from '../../token-error.js';
import { type Claims, claimOf } from './decode-claim.js';
import type { RegisteredClaim } from './registered-claim.js';

/** Where a claim can be fetched. */
export interface ClaimSource {
  /** "" for a source that is part of the token, which upstream ignores. */
  readonly endpoint: string;
  /** "" for none. */
  readonly accessToken: string;
}

/** The source of a claim that the token does not hold itself; undefined if it names none. For checked claims. */
export function sourceOf(claims: Claims, name: string): ClaimSource | undefined {
  const names = membersOf('_claim_names', claimOf(claims, '_claim_names'));
  const source = Object.hasOwn(names, name) ? names[name] : undefined;
  if (typeof source !== 'string') return undefined;
  const found = Object(membersOf('_claim_sources', claimOf(claims, '_claim_sources'))[source]);
  return { endpoint: textOf(goField(found, 'endpoint')), accessToken: textOf(goField(found, 'access_token')) };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new TokenError(
    `oidc: could not parse claim sources: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type string`,
  );
}

function membersOf(name: RegisteredClaim, given: unknown): Claims {
  const value = given ?? {};
  if (isMembers(value)) return value;
  throw wrongField(name, value, 'map[string]string');
}

function wrongField(name: string, value: unknown, expected: string): TokenError {
  return new TokenError(
    `oidc: failed to unmarshal claims: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field idToken.${name} of type ${expected}`,
  );
}
