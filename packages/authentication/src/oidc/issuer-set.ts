import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { AuthenticationResponse, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { untrustedPayload } from '../jws/compact-jws.js';
import type { CompiledIssuer } from './configuration/validate-configuration.js';
import { untrustedIssuer } from './issuer/untrusted-issuer.js';
import { IssuerAuthenticator, type IssuerEnvironment } from './issuer-authenticator.js';

/**
 * Longest token in characters. Longer ones are not parsed, because claims are read before the signature is verified.
 * Upstream has no limit but that of headers.
 */
const MAX_TOKEN_LENGTH = 128 * 1024;

/**
 * The authenticators of all issuers of a configuration. A token is for the one that it names; tokens of other issuers
 * are unknown.
 * Upstream: newJWTAuthenticator of pkg/kubeapiserver/authenticator/config.go
 */
export class IssuerSet implements TokenAuthenticator {
  readonly #authenticators: ReadonlyMap<string, IssuerAuthenticator>;
  readonly #lifetime = new AbortController();

  /** Starts nothing. Throws an Error with upstream's message for an egress that is not configured. */
  constructor(issuers: readonly CompiledIssuer[], environment: IssuerEnvironment) {
    const signal = AbortSignal.any([environment.signal, this.#lifetime.signal]);
    const made = issuers.map((issuer) => new IssuerAuthenticator(issuer, { ...environment, signal }));
    this.#authenticators = new Map(made.map((authenticator) => [authenticator.url, authenticator]));
  }

  /** The URLs of the issuers. */
  get issuers(): readonly string[] {
    return [...this.#authenticators.keys()];
  }

  /** Discovers the issuers. Resolves after the first attempt at each; failed ones are tried again in the background. */
  async start(): Promise<void> {
    await Promise.all([...this.#authenticators.values()].map((authenticator) => authenticator.start()));
  }

  /** The reasons why tokens of some issuers cannot be verified; undefined if all is well. */
  health(): Error | undefined {
    const failures = [...this.#authenticators.values()].flatMap((authenticator) => authenticator.health() ?? []);
    return failures.length === 0 ? undefined : new Error(aggregateMessages(failures.map(({ message }) => message)));
  }

  async authenticateToken(token: string): Promise<AuthenticationResponse | undefined> {
    if (token.length > MAX_TOKEN_LENGTH || this.#authenticators.size === 0) return undefined;
    const issuer = untrustedIssuer(untrustedPayload(token));
    return issuer === undefined ? undefined : this.#authenticators.get(issuer)?.authenticate(token);
  }

  /** Ends all work of this set. Its tokens must not be asked for any more. */
  close(): void {
    this.#lifetime.abort();
  }
}
