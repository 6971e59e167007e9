import { jsonTypeName } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { TokenError } from '../../token-error.js';
import type { Claims } from './decode-claim.js';
import { goTime } from './go-time.js';
import { type RegisteredClaim, registeredClaim } from './registered-claim.js';

/** Largest difference between the clocks of issuer and server, for `nbf`. Upstream: leeway of go-oidc */
const LEEWAY = 60_000;

/** Requirements of a token. */
export interface IdTokenChecks {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Checks issuer, audience and times of a token whose signature is verified. Throws an Error with upstream's message.
 * Upstream: IDTokenVerifier.Verify of github.com/coreos/go-oidc/verify.go; verifyAudience of
 * k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function checkIdToken(claims: Claims, { issuer, audiences, now }: IdTokenChecks): void {
  for (const name of ['iss', 'sub', 'nonce', 'at_hash'] as const) textField(claims, name);
  const [granted, expiry, notBefore] = [audiencesOf(claims), timeOf(claims, 'exp'), timeOf(claims, 'nbf')];
  timeOf(claims, 'iat');
  checkIssuer(textField(claims, 'iss'), issuer);
  checkAudience(granted, audiences);
  if (expiry === undefined || expiry < now) {
    throw new TokenError(`oidc: token is expired (Token Expiry: ${goTime(expiry)})`);
  }
  if (notBefore !== undefined && now + LEEWAY < notBefore) {
    throw new TokenError(`oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(notBefore)}`);
  }
}

function checkIssuer(actual: string, expected: string): void {
  // Google's tokens leave out the scheme.
  if (actual === expected || (expected === 'https://accounts.google.com' && actual === 'accounts.google.com')) return;
  throw new TokenError(
    `oidc: id token issued by a different provider, expected ${quote(expected)} got ${quote(actual)}`,
  );
}

function checkAudience(granted: readonly string[], expected: readonly string[]): void {
  if (granted.some((audience) => expected.includes(audience))) return;
  const [only = ''] = expected;
  const wanted = expected.length === 1 ? quote(only) : list([...expected].sort());
  throw new TokenError(`oidc: expected audience ${expected.length === 1 ? '' : 'in '}${wanted} got ${list(granted)}`);
}

/** Formats texts as Go's %q. */
function list(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

function textField(claims: Claims, name: RegisteredClaim): string {
  const value = registeredClaim(claims, name) ?? '';
  if (typeof value === 'string') return value;
  throw wrongField(name, value, 'string');
}

function audiencesOf(claims: Claims): readonly string[] {
  const value = registeredClaim(claims, 'aud');
  if (value === undefined) return [];
  if (value === null) return [''];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  if (!Array.isArray(value)) throw wrongField('aud', value, '[]string');
  throw wrongField(
    'aud',
    value.find((one) => typeof one !== 'string'),
    'string',
  );
}

/** Milliseconds; undefined for an absent claim. Fractions of seconds are cut off. */
function timeOf(claims: Claims, name: RegisteredClaim): number | undefined {
  const value = registeredClaim(claims, name);
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isFinite(seconds)) return Math.trunc(seconds) * 1000;
  if (typeof value === 'string') {
    throw unreadable(`json: invalid number literal, trying to unmarshal ${quote(JSON.stringify(value))} into Number`);
  }
  throw wrongField(name, value, 'json.Number');
}

function wrongField(name: string, value: unknown, expected: string): Error {
  return unreadable(
    `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field idToken.${name} of type ${expected}`,
  );
}

function unreadable(reason: string): Error {
  return new Error(`oidc: failed to unmarshal claims: ${reason}`);
}
