import { quote } from '@apiserver/apimachinery/text';
import type { AuthenticationResponse, TokenAuthenticator, TokenRecorder } from '@apiserver/apiserver-contracts';
import { jsonPart } from '../jws/json-part.js';
import { TokenError } from '../token-error.js';
import type { KeySource } from './key-source.js';
import { serviceAccountUser } from './service-account-user.js';
import type { TokenClaims } from './token-claims.js';
import type { TokenValidator } from './token-validator.js';
import { verifySignature } from './verify-signature.js';

/** Options of `createJwtAuthenticator`. */
export interface JwtAuthenticatorOptions {
  /** Tokens of other issuers are ignored. */
  readonly issuers: readonly string[];
  readonly keys: KeySource;
  /** The audiences of this server: accepted if the request specifies none. */
  readonly audiences: readonly string[];
  readonly validator: TokenValidator;
  /** Called for a token without audiences, as those in secrets are. */
  readonly observeLegacy?: () => void;
}

/**
 * Maximum length of a token in characters. Service account tokens have a tenth of it. Longer tokens are not parsed,
 * because claims are read before the signature is verified. Upstream has no limit.
 */
const MAX_TOKEN_LENGTH = 16 * 1024;

/**
 * Authenticates JWTs that one of the issuers signed with one of the keys, for one of the audiences, and that the
 * validator accepts. Throws for an invalid token of these issuers.
 * Upstream: jwtTokenAuthenticator in pkg/serviceaccount/jwt.go
 */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): TokenAuthenticator {
  const issuers = new Set(options.issuers);
  return {
    authenticateToken: async (token, audiences, recorder) => {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const issuer = unverifiedIssuer(token);
      if (issuer === undefined || !issuers.has(issuer)) return undefined;
      if (!(await verifySignature(token, options.keys))) return undefined;
      const claims = claimsOf(jsonPart(token, 1));
      return respond(options, { token, claims, recorder }, audiences);
    },
  };
}

interface PresentedToken {
  readonly token: string;
  readonly claims: TokenClaims;
  readonly recorder: TokenRecorder | undefined;
}

async function respond(
  { audiences: own, validator, observeLegacy }: JwtAuthenticatorOptions,
  shown: PresentedToken,
  requested: readonly string[] = own,
): Promise<AuthenticationResponse> {
  let audiences = shown.claims.aud ?? [];
  if (audiences.length === 0) {
    shown.recorder?.audit?.annotate('authentication.k8s.io/legacy-token', shown.claims.sub ?? '');
    observeLegacy?.();
    audiences = own;
  }
  const shared = audiences.filter((audience) => requested.includes(audience));
  if (shared.length === 0 && own.length > 0) {
    throw new TokenError(
      `token audiences ${quoted(audiences)} is invalid for the target audiences ${quoted(requested)}`,
    );
  }
  return { user: serviceAccountUser(await validator.validate(shown)), audiences: shared };
}

/** Formats a list of strings as Go's %q. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

/** The `iss` claim of a compact JWT, not verified; undefined for anything else. */
function unverifiedIssuer(token: string): string | undefined {
  const claims = jsonPart(token, 1);
  return claims?.['iss'] === undefined ? undefined : String(claims['iss']);
}

/** Throws for claims of the wrong type. */
function claimsOf(value: unknown): TokenClaims {
  if (typeof value !== 'object' || value === null) throw new TokenError('the payload is no object');
  const { aud, ...claims } = value as { readonly aud?: unknown };
  const audiences = aud === undefined || aud === null ? [] : Array.isArray(aud) ? aud : [aud];
  const numbers = ['exp', 'iat', 'nbf'].every((name) => isOptional(getClaim(claims, name), 'number'));
  const texts = ['jti', 'sub'].every((name) => isOptional(getClaim(claims, name), 'string'));
  if (!numbers || !texts || !audiences.every((audience) => typeof audience === 'string')) {
    throw new TokenError('a claim is of the wrong type');
  }
  return { ...claims, aud: audiences };
}

function getClaim(claims: object, name: string): unknown {
  return Reflect.get(claims, name);
}

function isOptional(value: unknown, type: 'number' | 'string'): boolean {
  return value === undefined || typeof value === type;
}
