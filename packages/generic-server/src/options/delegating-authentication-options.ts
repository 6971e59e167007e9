import type { TokenReviewSpec, TokenReviewStatus } from '@apiserver/api/authentication/v1';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import {
  cachedTokenAuthenticator,
  createAuthentication,
  isIdentityHeader,
  webhookTokenAuthenticator,
} from '@apiserver/authentication';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { defaultRetryBackoff, type RestClient, type RetryBackoff } from '@apiserver/rest-client';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import {
  AUTHENTICATION_NAME,
  AUTHENTICATION_NAMESPACE,
  AuthenticationConfigMap,
} from '../delegating/authentication-config-map.js';
import { delegatedClient } from '../delegating/delegated-client.js';
import { delegatedRequestMetrics, tokenCacheMetrics } from '../delegating/delegated-metrics.js';
import { reviewSender } from '../delegating/review-sender.js';
import { type AuthoritySource, bundleOf } from '../dynamic-certificates/authority-source.js';
import {
  type AppliedAuthentication,
  addClientCAFlag,
  appliedAuthentication,
  loadClientCA,
  loadRequestHeader,
} from './client-authorities.js';
import { RequestHeaderOptions, type RequestHeaderTrust } from './request-header-options.js';
import { validateBackoff } from './validate-backoff.js';

/**
 * Authentication of an extension server's clients by the core server, which reviews tokens and provides the trusted
 * authorities.
 * Upstream: k8s.io/apiserver/pkg/server/options.DelegatingAuthenticationOptions
 */
export class DelegatingAuthenticationOptions {
  /** `--authentication-kubeconfig`; "": the cluster that this process runs in. */
  kubeconfig = '';
  /** If true, the server starts without a core server. Upstream: RemoteKubeConfigFileOptional */
  isKubeconfigOptional = false;
  /** `--authentication-token-webhook-cache-ttl`, in milliseconds */
  cacheTtl = 10_000;
  /** `--client-ca-file`; "": that of the core server. */
  clientCAFile = '';
  /** `--requestheader-*`; without a file, that of the core server. */
  readonly requestHeader = Object.assign(new RequestHeaderOptions(), {
    usernameHeaders: ['x-remote-user'],
    groupHeaders: ['x-remote-group'],
    extraHeaderPrefixes: ['x-remote-extra-'],
  });
  /** `--authentication-skip-lookup` */
  skipLookup = false;
  /** `--authentication-tolerate-lookup-failure` */
  tolerateLookupFailure = false;
  /** Pauses between attempts of a review. */
  retryBackoff: RetryBackoff = defaultRetryBackoff;
  /** Milliseconds for a review with all its attempts. Upstream: TokenRequestTimeout */
  tokenRequestTimeout = 10_000;

  addFlags(flags: FlagSet): void {
    const optional = ' Without it every token counts as anonymous, and the core server is not asked for authorities.';
    flags.string(
      'authentication-kubeconfig',
      field(this, 'kubeconfig'),
      `Kubeconfig of the core server, with a user who may create tokenreviews.authentication.k8s.io. Default: the cluster that this server runs in.${this.isKubeconfigOptional ? optional : ''}`,
    );
    flags.duration(
      'authentication-token-webhook-cache-ttl',
      field(this, 'cacheTtl'),
      'Time for which the review of a token is cached.',
    );
    addClientCAFlag(flags, field(this, 'clientCAFile'));
    this.requestHeader.addFlags(flags);
    flags.bool(
      'authentication-skip-lookup',
      field(this, 'skipLookup'),
      'Do not ask the core server for authorities that no flag names.',
    );
    flags.bool(
      'authentication-tolerate-lookup-failure',
      field(this, 'tolerateLookupFailure'),
      'Start although the core server does not tell its authorities. Every request may then count as anonymous.',
    );
  }

  validate(): readonly Error[] {
    return [...this.requestHeader.validate(), ...validateBackoff(this.retryBackoff)];
  }

  /**
   * Creates the authenticators, and returns the authorities, which the listener sends to clients. It reads from the
   * core server before it resolves, and follows changes from then on. Rejects with an Error if a file or the core
   * server cannot be read.
   */
  async applyTo(config: GenericServerConfig): Promise<AppliedAuthentication> {
    const { logger, now } = config;
    const client = this.#client(config);
    const configMap = this.#configMap(config, client);
    const clientCA = loadClientCA(this.clientCAFile, config) ?? this.#lookedUpClientCA(configMap, logger);
    const requestHeader = loadRequestHeader(this.requestHeader, config) ?? (await this.#lookedUp(configMap, logger));
    if (configMap !== undefined) config.disposables.use(configMap.follow());
    const { authenticator, tokenAuthenticator } = createAuthentication({
      anonymous: true,
      logger,
      now,
      ...(client === undefined ? undefined : { webhook: this.#tokens(config, client) }),
      ...(requestHeader === undefined ? undefined : { requestHeader }),
      ...(clientCA === undefined ? undefined : { clientCAs: () => bundleOf(clientCA) }),
    });
    config.authenticator = authenticator;
    config.isIdentityHeader = requestHeader && ((name) => isIdentityHeader(requestHeader, name));
    config.tokenAuthenticator = tokenAuthenticator;
    return appliedAuthentication(clientCA, requestHeader);
  }

  #client({ clock, logger, version, restClientMetrics }: GenericServerConfig): RestClient | undefined {
    try {
      return delegatedClient({
        purpose: 'authentication',
        kubeconfig: this.kubeconfig,
        isOptional: this.isKubeconfigOptional,
        userAgent: `apiserver/${version.gitVersion}`,
        observer: restClientMetrics,
        clock,
        logger,
      });
    } catch (error) {
      throw new Error(`failed to get delegated authentication kubeconfig: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Undefined if no look-up is needed, or there is no core server. */
  #configMap(
    { clock, logger, random }: GenericServerConfig,
    client: RestClient | undefined,
  ): AuthenticationConfigMap | undefined {
    const isComplete = this.clientCAFile !== '' && this.requestHeader.clientCAFile !== '';
    if (this.skipLookup || isComplete || client === undefined) return undefined;
    return new AuthenticationConfigMap({ client, clock, random, logger });
  }

  #lookedUpClientCA(configMap: AuthenticationConfigMap | undefined, logger: Logger): AuthoritySource | undefined {
    if (configMap === undefined && !this.skipLookup) {
      logger.warning(notLookedUp('client-ca-file', 'client certificate authentication'));
    }
    return configMap?.clientCA;
  }

  async #lookedUp(
    configMap: AuthenticationConfigMap | undefined,
    logger: Logger,
  ): Promise<RequestHeaderTrust | undefined> {
    if (configMap === undefined) {
      if (this.skipLookup) return undefined;
      const what = 'request-header client certificate authentication';
      logger.warning(notLookedUp('requestheader-client-ca-file', what));
      return undefined;
    }
    try {
      await configMap.read();
      return requestHeaderTrust(configMap);
    } catch (error) {
      if (!this.tolerateLookupFailure) {
        const message = `unable to load configmap based request-header-client-ca-file: ${messageOf(error)}`;
        throw new Error(message, { cause: error });
      }
      logger.warning(`Error looking up in-cluster authentication configuration: ${messageOf(error)}`);
      for (const line of toleratedWarnings) logger.warning(line);
      return undefined;
    }
  }

  #tokens({ clock, logger, metrics, random }: GenericServerConfig, client: RestClient): TokenAuthenticator {
    const send = reviewSender({
      kind: 'TokenReview',
      client,
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      backoff: this.retryBackoff,
      clock,
      random,
      attemptTimeout: 0,
      timeout: this.tokenRequestTimeout,
      observe: delegatedRequestMetrics(metrics, 'authn'),
    });
    const review = async (spec: TokenReviewSpec): Promise<TokenReviewStatus> => {
      const status = await send({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec });
      return { user: {}, ...status };
    };
    return cachedTokenAuthenticator(webhookTokenAuthenticator({ review, logger }), {
      successTtl: this.cacheTtl,
      failureTtl: this.cacheTtl,
      clock,
      observer: tokenCacheMetrics(metrics),
    });
  }
}

/** Every request reads the members, because the ConfigMap may change. */
function requestHeaderTrust(configMap: AuthenticationConfigMap): RequestHeaderTrust {
  return {
    authorities: configMap.requestHeaderCA,
    clientCAs: () => bundleOf(configMap.requestHeaderCA),
    get usernameHeaders() {
      return configMap.lists.usernameHeaders;
    },
    get uidHeaders() {
      return configMap.lists.uidHeaders;
    },
    get groupHeaders() {
      return configMap.lists.groupHeaders;
    },
    get extraHeaderPrefixes() {
      return configMap.lists.extraHeaderPrefixes;
    },
    get allowedNames() {
      return configMap.lists.allowedNames;
    },
  };
}

function notLookedUp(key: string, what: string): string {
  return `No authentication-kubeconfig provided in order to lookup ${key} in configmap/${AUTHENTICATION_NAME} in ${AUTHENTICATION_NAMESPACE}, so ${what} won't work.`;
}

const toleratedWarnings = [
  'Continuing without authentication configuration. This may treat all requests as anonymous.',
  'To require authentication configuration lookup to succeed, set --authentication-tolerate-lookup-failure=false',
];
