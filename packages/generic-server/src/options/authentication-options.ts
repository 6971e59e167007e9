import { readFileSync } from 'node:fs';
import { systemClock } from '@apiserver/apimachinery/clock';
import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { createAuthentication, type ServiceAccountAuthentication, type TokenFile } from '@apiserver/authentication';
import type { BootstrapSecret } from '@apiserver/authentication/bootstrap-token';
import { type FlagSet, field, formatGoDuration } from '@apiserver/component-base/flags';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { tokenCacheMetrics } from '../delegating/delegated-metrics.js';
import { bundleOf } from '../dynamic-certificates/authority-source.js';
import { AuthenticationWebhookOptions } from './authentication-webhook-options.js';
import type { AuthorizationOptions } from './authorization-options.js';
import {
  type AppliedAuthentication,
  addClientCAFlag,
  appliedAuthentication,
  loadClientCA,
  loadRequestHeader,
} from './client-authorities.js';
import { RequestHeaderOptions } from './request-header-options.js';

/** Dependencies of authentication besides flags. */
export interface AuthenticationDependencies {
  /** Absent: tokens of service accounts are unknown. */
  readonly serviceAccounts?: ServiceAccountAuthentication;
  /** Reads a secret of kube-system. Absent: bootstrap tokens are unknown. */
  readonly bootstrapSecret?: (name: string) => Promise<BootstrapSecret>;
  /** PEM file of generated authorities, used if `--client-ca-file` names none. */
  readonly generatedClientCAFile?: string;
}

/** Milliseconds for which a known token stays known. Upstream: TokenSuccessCacheTTL of NewBuiltInAuthenticationOptions */
const TOKEN_SUCCESS_TTL = 10_000;

/**
 * Authentication of clients: the "authentication" section.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthenticationOptions
 */
export class AuthenticationOptions {
  /** `--anonymous-auth` */
  anonymous = true;
  /** `--enable-bootstrap-token-auth` */
  bootstrapTokens = false;
  /** `--api-audiences` */
  apiAudiences: readonly string[] = [];
  /** `--client-ca-file` */
  clientCAFile = '';
  /** `--token-auth-file` */
  tokenAuthFile = '';
  readonly requestHeader = new RequestHeaderOptions();
  readonly webhook = new AuthenticationWebhookOptions();

  addFlags(flags: FlagSet): void {
    flags.stringSlice(
      'api-audiences',
      field(this, 'apiAudiences'),
      'Comma-separated identifiers of the API. A service account token must be valid for one of them. Default: the issuers of the tokens.',
    );
    flags.bool(
      'anonymous-auth',
      field(this, 'anonymous'),
      'Treat requests without credentials as user system:anonymous in group system:unauthenticated.',
    );
    flags.bool(
      'enable-bootstrap-token-auth',
      field(this, 'bootstrapTokens'),
      "Accept the tokens of secrets of type 'bootstrap.kubernetes.io/token' in kube-system, with which nodes join.",
    );
    addClientCAFlag(flags, field(this, 'clientCAFile'));
    flags.string(
      'token-auth-file',
      field(this, 'tokenAuthFile'),
      'CSV file of static tokens: token, user name, user uid and, in quotes, groups.',
    );
    this.requestHeader.addFlags(flags);
    this.webhook.addFlags(flags);
  }

  validate(): readonly Error[] {
    return [...this.requestHeader.validate(), ...this.webhook.validate()];
  }

  /**
   * Disables anonymous requests if everything is allowed: both together would open the server to everybody. Part of
   * completing the options. Upstream: BuiltInAuthenticationOptions.ApplyAuthorization
   */
  applyAuthorization(authorization: AuthorizationOptions, logger: Logger): void {
    if (!this.anonymous || !authorization.modes.includes('AlwaysAllow')) return;
    logger.warning(
      'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
    );
    this.anonymous = false;
  }

  /**
   * Creates the authenticators, and resolves with the authorities, which the listener sends to clients. Rejects with an
   * Error for an unreadable or invalid file.
   */
  async applyTo(
    config: GenericServerConfig,
    dependencies: AuthenticationDependencies = {},
  ): Promise<AppliedAuthentication> {
    const { clock, logger, now } = config;
    const { generatedClientCAFile = '', serviceAccounts } = dependencies;
    const clientCA = loadClientCA(this.clientCAFile || generatedClientCAFile, logger);
    const requestHeader = loadRequestHeader(this.requestHeader, logger);
    const tokenFile = this.#readTokenFile();
    this.#warnOfShortTtl(logger);
    const cacheObserver = tokenCacheMetrics(config.metrics);
    const webhook = this.webhook.tokenAuthenticator(config, this.apiAudiences, cacheObserver);
    const bootstrapTokens = await this.#bootstrapTokens(config, dependencies);
    const observer = config.metrics
      .histogram(
        {
          name: 'apiserver_client_certificate_expiration_seconds',
          help: 'Time that the certificates of clients still have, in seconds.',
          labels: [],
        },
        [0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000],
      )
      .with({});
    config.apiAudiences = this.apiAudiences;
    const { authenticator, tokenAuthenticator } = createAuthentication({
      certificateTime: () => systemClock.now(),
      anonymous: this.anonymous,
      apiAudiences: this.apiAudiences,
      tokenCache: { successTtl: TOKEN_SUCCESS_TTL, failureTtl: 0, clock, observer: cacheObserver },
      logger,
      now,
      observeCertificateExpiration: (seconds) => observer.observe(seconds),
      ...(serviceAccounts === undefined ? undefined : { serviceAccounts }),
      ...(requestHeader === undefined ? undefined : { requestHeader }),
      ...(clientCA === undefined ? undefined : { clientCAs: () => bundleOf(clientCA) }),
      ...(tokenFile === undefined ? undefined : { tokenFile }),
      ...(bootstrapTokens === undefined ? undefined : { bootstrapTokens }),
      ...(webhook === undefined ? undefined : { webhook }),
    });
    config.authenticator = authenticator;
    config.tokenAuthenticator = tokenAuthenticator;
    return appliedAuthentication(clientCA, requestHeader);
  }

  #warnOfShortTtl(logger: Logger): void {
    const { configFile, cacheTtl } = this.webhook;
    if (configFile === '' || cacheTtl <= 0 || cacheTtl >= TOKEN_SUCCESS_TTL) return;
    const [own, overall] = [cacheTtl, TOKEN_SUCCESS_TTL].map(formatGoDuration);
    logger.warning(
      `the webhook cache ttl of ${own} is shorter than the overall cache ttl of ${overall} for successful token authentication attempts.`,
    );
  }

  async #bootstrapTokens(
    { logger, now }: GenericServerConfig,
    { bootstrapSecret: secret }: AuthenticationDependencies,
  ): Promise<TokenAuthenticator | undefined> {
    if (!this.bootstrapTokens || secret === undefined) return undefined;
    const { bootstrapTokenAuthenticator } = await import('@apiserver/authentication/bootstrap-token');
    return bootstrapTokenAuthenticator({ secret, logger, now });
  }

  #readTokenFile(): TokenFile | undefined {
    if (this.tokenAuthFile === '') return undefined;
    return { path: this.tokenAuthFile, text: readFileSync(this.tokenAuthFile, 'utf8') };
  }
}
