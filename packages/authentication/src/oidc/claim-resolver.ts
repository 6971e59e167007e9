import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { untrustedPayload } from '../jws/compact-jws.js';
import { TokenError } from '../token-error.js';
import { sourceOf } from './claims/claim-sources.js';
import { type Claims, claimOf } from './claims/decode-claim.js';
import { IssuerVerifier, type IssuerVerifierOptions } from './issuer/issuer-verifier.js';
import { untrustedIssuer } from './issuer/untrusted-issuer.js';

/** Most issuers of claims that one resolver follows. Upstream has no limit. */
const MAX_ISSUERS = 16;

/** Input of a resolver. */
export type ClaimResolverOptions = Omit<IssuerVerifierOptions, 'issuer' | 'discoveryUrl' | 'failure' | 'observer'> & {
  /** The name of the claim. */
  readonly claim: string;
};

/**
 * Fetches one claim that a token does not hold itself (distributed claims of OpenID Connect). Claims that the token
 * holds as another token (aggregated ones) stay absent.
 * Upstream: claimResolver of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export class ClaimResolver {
  readonly #options: ClaimResolverOptions;
  readonly #verifiers = new Map<string, IssuerVerifier>();

  constructor(options: ClaimResolverOptions) {
    this.#options = options;
  }

  /** The claims, with the claim of this resolver. Throws an Error with upstream's message if it cannot be fetched. */
  async expand(claims: Claims): Promise<Claims> {
    const { claim } = this.#options;
    if (Object.hasOwn(claims, claim)) return claims;
    const source = sourceOf(claims, claim);
    if (source === undefined || source.endpoint === '') return claims;
    return { ...claims, [claim]: await this.#resolve(source.endpoint, source.accessToken) };
  }

  async #resolve(endpoint: string, accessToken: string): Promise<unknown> {
    const { claim } = this.#options;
    const token = await this.#fetch(endpoint, accessToken);
    const issuer = untrustedIssuer(untrustedPayload(token));
    if (issuer === undefined) {
      throw new TokenError(
        `getting untrusted issuer from endpoint ${endpoint} failed for claim ${quote(claim)}: malformed token`,
      );
    }
    const verifier = this.#verifier(issuer);
    if (verifier === undefined) {
      const reason = `verifier not initialized for issuer: ${quote(issuer)}`;
      throw new TokenError(`verifying untrusted issuer ${issuer} failed: ${reason}`);
    }
    const found = await verifier.verify(token).catch((error: unknown) => {
      throw new TokenError(`verify distributed claim token: ${messageOf(error)}`, { cause: error });
    });
    const value = claimOf(found, claim);
    if (value !== undefined) return value;
    throw new TokenError(
      `jwt returned by distributed claim endpoint ${quote(endpoint)} did not contain claim: ${claim}`,
    );
  }

  async #fetch(endpoint: string, accessToken: string): Promise<string> {
    const { claim, client } = this.#options;
    try {
      const { code, status, body } = await client.get(endpoint, accessToken);
      if (code < 200 || code > 226) throw new TokenError(`error while getting distributed claim JWT: ${status}`);
      return body.trim();
    } catch (error) {
      throw new TokenError(`while getting distributed claim ${quote(claim)}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The first token of an issuer begins its discovery, and fails. */
  #verifier(issuer: string) {
    const known = this.#verifiers.get(issuer);
    if (known !== undefined || this.#verifiers.size >= MAX_ISSUERS) return known?.verifier;
    const failure = `oidc authenticator: async token verifier for issuer: ${quote(issuer)}`;
    const made = new IssuerVerifier({ ...this.#options, issuer, discoveryUrl: '', failure });
    this.#verifiers.set(issuer, made);
    void made.start();
    return made.verifier;
  }
}
