import { type Clock, inSlices } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { AuthenticationResponse, Logger } from '@apiserver/apiserver-contracts';
import type { BackendDialer } from '@apiserver/proxy/backend';
import { TokenError } from '../token-error.js';
import { ClaimResolver } from './claim-resolver.js';
import { mapUserSteps } from './claims/map-user.js';
import type { EgressType } from './configuration/authentication-configuration.js';
import type { CompiledIssuer } from './configuration/validate-configuration.js';
import { IssuerClient } from './http/issuer-client.js';
import { IssuerError } from './http/issuer-error.js';
import { IssuerVerifier } from './issuer/issuer-verifier.js';
import type { OidcMetrics } from './oidc-metrics.js';

/** Finds the dialer of an egress; undefined if that egress is not configured. */
export type EgressLookup = (type: EgressType) => BackendDialer | undefined;

/** Settings and dependencies of all issuers of a configuration. */
export interface IssuerEnvironment {
  /** Signature algorithms that tokens may have. */
  readonly algorithms: readonly string[];
  /** Undefined: the server has no egress configuration. */
  readonly egress?: EgressLookup | undefined;
  /** Variables that name proxies. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OidcMetrics;
  /** Ends all requests and attempts. */
  readonly signal: AbortSignal;
}

/**
 * Authenticates the tokens of one issuer.
 * Upstream: jwtAuthenticator of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export class IssuerAuthenticator {
  readonly url: string;
  readonly #issuer: CompiledIssuer;
  readonly #verifier: IssuerVerifier;
  readonly #resolver: ClaimResolver | undefined;
  readonly #metrics: OidcMetrics;

  /** Throws an Error with upstream's message for an egress that is not configured. */
  constructor(issuer: CompiledIssuer, { algorithms, metrics, clock, logger, signal, ...how }: IssuerEnvironment) {
    const { issuer: source = {}, claimMappings = {} } = issuer.configuration;
    const { url = '', certificateAuthority = '', audiences, discoveryURL, egressSelectorType = '' } = source;
    const dial = dialerOf(egressSelectorType, how.egress);
    const client = new IssuerClient({ certificateAuthority, dial, environment: how.environment, signal });
    const common = { client, algorithms, audiences: audiences ?? [], clock, logger, signal };
    this.url = url;
    this.#issuer = issuer;
    this.#metrics = metrics;
    this.#verifier = new IssuerVerifier({
      ...common,
      issuer: url,
      discoveryUrl: discoveryURL ?? '',
      failure: 'oidc authenticator: initializing plugin',
      observer: metrics.keySetObserver(url),
    });
    const claim = claimMappings.groups?.claim ?? '';
    this.#resolver = claim === '' ? undefined : new ClaimResolver({ ...common, claim });
  }

  /** Resolves after the first attempt to discover the issuer. */
  start(): Promise<void> {
    return this.#verifier.start();
  }

  /** The reason why no token can be verified; undefined if all is well. */
  health(): Error | undefined {
    if (this.#verifier.verifier !== undefined) return undefined;
    const issuer = quote(this.url);
    const reason = this.#verifier.failure ?? new Error(`oidc: authenticator for issuer ${issuer} is not initialized`);
    return new Error(`oidc: authenticator for issuer ${issuer} is not healthy: ${reason.message}`, { cause: reason });
  }

  /** For a token of this issuer. Throws an Error with upstream's message if it is not valid. */
  async authenticate(token: string): Promise<AuthenticationResponse> {
    const started = performance.now();
    let result: 'success' | 'failure' = 'failure';
    try {
      const claims = await this.#claims(token);
      const response = { user: await inSlices(mapUserSteps(this.#issuer, claims)) };
      result = 'success';
      return response;
    } finally {
      this.#metrics.authenticated(result, this.url, performance.now() - started);
    }
  }

  async #claims(token: string) {
    const { verifier } = this.#verifier;
    if (verifier === undefined) throw new TokenError('oidc: authenticator not initialized');
    const claims = await verifier.verify(token).catch((error: unknown) => {
      throw new TokenError(`oidc: verify token: ${messageOf(error)}`, { cause: error });
    });
    if (this.#resolver === undefined) return claims;
    return this.#resolver.expand(claims).catch((error: unknown) => {
      throw new TokenError(`oidc: could not expand distributed claims: ${messageOf(error)}`, { cause: error });
    });
  }
}

/** Upstream: egressLookupForType of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc */
function dialerOf(type: string, lookup: EgressLookup | undefined): BackendDialer | undefined {
  if (type !== 'controlplane' && type !== 'cluster') return undefined;
  if (lookup === undefined) {
    throw new IssuerError(`oidc: egress lookup required with egress selector type ${quote(type)}`);
  }
  const dialer = lookup(type);
  if (dialer === undefined) throw new IssuerError(`oidc: egress lookup for ${quote(type)} is not configured`);
  return dialer;
}
