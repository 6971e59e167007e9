import { quote } from '@apiserver/apimachinery/text';
import { TokenError } from '../../token-error.js';
import type { Claims } from './decode-claim.js';
import { goTime } from './go-time.js';
import { type IdToken, readIdToken } from './read-id-token.js';

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
 * Checks sources, issuer, audience and times of a token whose signature is verified. Throws an Error with upstream's
 * message.
 * Upstream: IDTokenVerifier.Verify of github.com/coreos/go-oidc/verify.go; verifyAudience of
 * k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function checkIdToken(claims: Claims, { issuer, audiences, now }: IdTokenChecks): void {
  const token = readIdToken(claims);
  checkClaimSources(token);
  checkIssuer(token.issuer, issuer);
  // The library checks a single audience, the plugin several ones behind it.
  if (audiences.length === 1) checkAudience(token.audience, audiences);
  checkTimes(token, now);
  if (audiences.length !== 1) checkAudience(token.audience, audiences);
}

/** Checks that the sources that a token names exist. */
function checkClaimSources({ claimNames, claimSources }: IdToken): void {
  for (const source of claimNames.values()) {
    if (source === '') throw new TokenError('oidc: failed to obtain source from claim name');
    if (!claimSources.has(source)) throw new TokenError('oidc: source does not exist');
  }
}

function checkTimes({ expiry, notBefore }: IdToken, now: number): void {
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
