import { hash } from 'node:crypto';
import { quote } from '@apiserver/apimachinery/text';
import type { AuthenticationResponse, TokenAuthenticator, WarningRecorder } from '@apiserver/apiserver-contracts';
import { jsonPart } from './json-part.js';
import type { VerificationKey } from './public-keys.js';
import { serviceAccountUser } from './service-account-user.js';
import type { TokenClaims } from './token-claims.js';
import type { TokenValidator } from './token-validator.js';
import { verifySignature } from './verify-signature.js';

/** What tokens are measured by. */
export interface JwtAuthenticatorOptions {
  /** Tokens of others are none of its business. */
  readonly issuers: readonly string[];
  readonly keys: readonly VerificationKey[];
  /** The audiences of this server: what a token must be for when nobody says otherwise. */
  readonly audiences: readonly string[];
  readonly validator: TokenValidator;
  /** A token without audiences was shown, as those in secrets are. */
  readonly observeLegacy?: () => void;
}

/** How many verified signatures are remembered. What is checked beside the signature is checked every time. */
const REMEMBERED = 2048;

/**
 * Characters of a token. Those of service accounts have a tenth of it. More is not parsed: it comes from anybody, and
 * claims are read before it is known who has signed them. Upstream has no bound.
 */
const LONGEST_TOKEN = 16 * 1024;

/**
 * Knows tokens that service accounts carry: signed by one of the keys, from one of the issuers, for one of the audiences,
 * and good by the validator. Throws for a token of its issuers that is bad.
 * Upstream: jwtTokenAuthenticator in pkg/serviceaccount/jwt.go
 */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): TokenAuthenticator {
  const issuers = new Set(options.issuers);
  const verified = new Map<string, TokenClaims>();
  return {
    authenticateToken: async (token, audiences, warnings) => {
      if (token.length > LONGEST_TOKEN) return undefined;
      const issuer = unverifiedIssuer(token);
      if (issuer === undefined || !issuers.has(issuer)) return undefined;
      const digest = hash('sha256', token, 'base64');
      let claims = verified.get(digest);
      if (claims === undefined) {
        if (!verifySignature(token, options.keys)) return undefined;
        claims = claimsOf(jsonPart(token, 1));
        remember(verified, digest, claims);
      }
      return answer(options, { token, claims, warnings }, audiences);
    },
  };
}

interface ShownToken {
  readonly token: string;
  readonly claims: TokenClaims;
  readonly warnings: WarningRecorder | undefined;
}

async function answer(
  { audiences: own, validator, observeLegacy }: JwtAuthenticatorOptions,
  shown: ShownToken,
  requested: readonly string[] = own,
): Promise<AuthenticationResponse> {
  let audiences = shown.claims.aud ?? [];
  if (audiences.length === 0) {
    observeLegacy?.();
    audiences = own;
  }
  const shared = audiences.filter((audience) => requested.includes(audience));
  if (shared.length === 0 && own.length > 0) {
    throw new Error(`token audiences ${quoted(audiences)} is invalid for the target audiences ${quoted(requested)}`);
  }
  return { user: serviceAccountUser(await validator.validate(shown)), audiences: shared };
}

/** A list of strings as Go's %q prints it. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

/** The `iss` of what looks like a token in compact form; undefined for anything else. */
function unverifiedIssuer(token: string): string | undefined {
  const claims = jsonPart(token, 1);
  return claims?.['iss'] === undefined ? undefined : String(claims['iss']);
}

/** Throws for claims of other types than they have to be. */
function claimsOf(value: unknown): TokenClaims {
  if (typeof value !== 'object' || value === null) throw new Error('the payload is no object');
  const { aud, ...claims } = value as { readonly aud?: unknown };
  const audiences = aud === undefined || aud === null ? [] : Array.isArray(aud) ? aud : [aud];
  const numbers = ['exp', 'iat', 'nbf'].every((name) => isOptional(getClaim(claims, name), 'number'));
  const texts = ['jti', 'sub'].every((name) => isOptional(getClaim(claims, name), 'string'));
  if (!numbers || !texts || !audiences.every((audience) => typeof audience === 'string')) {
    throw new Error('a claim is of the wrong type');
  }
  return { ...claims, aud: audiences };
}

function getClaim(claims: object, name: string): unknown {
  return Reflect.get(claims, name);
}

function isOptional(value: unknown, type: 'number' | 'string'): boolean {
  return value === undefined || typeof value === type;
}

function remember(verified: Map<string, TokenClaims>, digest: string, claims: TokenClaims): void {
  if (verified.size >= REMEMBERED) {
    const [oldest] = verified.keys();
    if (oldest !== undefined) verified.delete(oldest);
  }
  verified.set(digest, claims);
}
