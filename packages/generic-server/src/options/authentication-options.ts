import { readFileSync } from 'node:fs';
import { systemClock } from '@apiserver/apimachinery/clock';
import { parseCertificateBundle } from '@apiserver/apimachinery/x509';
import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import {
  createAuthentication,
  createCertificateMetrics,
  isIdentityHeader,
  type ServiceAccountAuthentication,
  type TokenFile,
} from '@apiserver/authentication';
import type { BootstrapSecret } from '@apiserver/authentication/bootstrap-token';
import type { EgressLookup } from '@apiserver/authentication/oidc';
import { type FlagSet, type FlagTarget, field, formatGoDuration } from '@apiserver/component-base/flags';
import { readRequiredFile } from '@apiserver/component-base/process';
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
import { anonymousRequests, type LoadedConfiguration, loadAuthenticationConfig } from './load-authentication-config.js';
import { ALL_ALGORITHMS, OidcOptions } from './oidc-options.js';
import { RequestHeaderOptions } from './request-header-options.js';

/** Dependencies of authentication besides flags. */
export interface AuthenticationDependencies {
  /** Absent: tokens of service accounts are unknown. */
  readonly serviceAccounts?: ServiceAccountAuthentication;
  /** Reads a secret of kube-system. Absent: bootstrap tokens are unknown. */
  readonly bootstrapSecret?: (name: string) => Promise<BootstrapSecret>;
  /** The identity of this server, for the metrics of issuers. Default: "". */
  readonly serverId?: string;
  /** Finds the egress of issuers that have one. Default: the server has no egress configuration. */
  readonly egress?: EgressLookup | undefined;
  /**
   * Upstream feature gates: StructuredAuthenticationConfigurationEgressSelector, …JWKSMetrics and
   * AllowParsingUserUIDFromCertAuth. Default: all on.
   */
  readonly features?: {
    readonly egressSelector: boolean;
    readonly keySetMetrics: boolean;
    readonly certificateUid: boolean;
  };
  /** PEM file of generated authorities, used if `--client-ca-file` names none. */
  readonly generatedClientCAFile?: string;
}

/**
 * Milliseconds for which a known token stays known. Upstream: TokenSuccessCacheTTL of NewBuiltInAuthenticationOptions
 */
const TOKEN_SUCCESS_TTL_MS = 10_000;

/**
 * Authentication of clients: the "authentication" section.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthenticationOptions
 */
export class AuthenticationOptions {
  /** `--anonymous-auth` */
  anonymous = true;
  /** True if that flag was given. */
  anonymousSet = false;
  /** `--authentication-config`; "": the issuers are those of flags. */
  configFile = '';
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
  readonly oidc = new OidcOptions();

  addFlags(flags: FlagSet): void {
    flags.string(
      'authentication-config',
      field(this, 'configFile'),
      'File that configures the issuers of tokens, and anonymous requests. It excludes --oidc-* flags, and --anonymous-auth if it configures anonymous requests. Changes take effect while the server runs.',
    );
    flags.stringSlice(
      'api-audiences',
      field(this, 'apiAudiences'),
      'Comma-separated identifiers of the API. A service account token must be valid for one of them. Default: the issuers of the tokens.',
    );
    flags.bool(
      'anonymous-auth',
      this.#anonymousTarget(),
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
    this.oidc.addFlags(flags);
    this.requestHeader.addFlags(flags);
    this.webhook.addFlags(flags);
  }

  #anonymousTarget(): FlagTarget<boolean> {
    const target = field(this, 'anonymous');
    return {
      get: () => target.get(),
      set: (value) => {
        this.anonymousSet = true;
        target.set(value);
      },
    };
  }

  /** `uidHeaders`: the feature gate RemoteRequestHeaderUID. */
  validate(uidHeaders = true): readonly Error[] {
    return [
      ...this.oidc.validate(this.configFile !== ''),
      ...this.webhook.validate(),
      ...this.requestHeader.validate(uidHeaders),
      ...this.#validateAuthorities(),
    ];
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
    const { certificates, clock, logger, now } = config;
    const { generatedClientCAFile = '', serviceAccounts, features } = dependencies;
    const clientCA = loadClientCA(this.clientCAFile || generatedClientCAFile, config, certificates);
    const requestHeader = loadRequestHeader(this.requestHeader, config);
    const tokenFile = this.#readTokenFile();
    this.#warnOfShortTtl(logger);
    const cacheObserver = tokenCacheMetrics(config.metrics);
    const webhook = this.webhook.tokenAuthenticator(config, this.apiAudiences, cacheObserver);
    const bootstrapTokens = await this.#bootstrapTokens(config, dependencies);
    const loaded = await loadAuthenticationConfig(this.configFile, this.oidc);
    const anonymous = anonymousRequests(loaded, { allowed: this.anonymous, isFlagSet: this.anonymousSet });
    const issuers = loaded && (await this.#issuers(loaded, config, dependencies));
    config.apiAudiences = this.apiAudiences;
    const { authenticator, tokenAuthenticator } = createAuthentication({
      certificateTime: () => systemClock.now(),
      parseAuthorities: (pem) => certificates.bundle(pem),
      ...anonymous,
      apiAudiences: this.apiAudiences,
      tokenCache: { successTtl: TOKEN_SUCCESS_TTL_MS, failureTtl: 0, clock, observer: cacheObserver },
      logger,
      now,
      observeCertificateExpiration: createCertificateMetrics(config.metrics),
      readsCertificateUid: features?.certificateUid ?? true,
      ...(serviceAccounts === undefined ? undefined : { serviceAccounts }),
      ...(requestHeader === undefined ? undefined : { requestHeader }),
      ...(clientCA === undefined ? undefined : { clientCAs: () => bundleOf(clientCA) }),
      ...(tokenFile === undefined ? undefined : { tokenFile }),
      ...(bootstrapTokens === undefined ? undefined : { bootstrapTokens }),
      ...(issuers === undefined ? undefined : { issuers }),
      ...(webhook === undefined ? undefined : { webhook }),
    });
    config.authenticator = authenticator;
    config.isIdentityHeader = requestHeader && ((name) => isIdentityHeader(requestHeader, name));
    config.tokenAuthenticator = tokenAuthenticator;
    return appliedAuthentication(clientCA, requestHeader);
  }

  async #issuers(
    loaded: LoadedConfiguration,
    config: GenericServerConfig,
    { serviceAccounts, serverId = '', egress, features }: AuthenticationDependencies,
  ): Promise<TokenAuthenticator> {
    const { egressSelector = true, keySetMetrics = true } = features ?? {};
    const { createIssuerAuthentication } = await import('../authentication-config/index.js');
    const algorithms = loaded.file === undefined ? this.oidc.algorithms() : ALL_ALGORITHMS;
    const ownIssuers = serviceAccounts?.issuers ?? [];
    const options = { ...loaded, algorithms, ownIssuers, serverId, egress, egressSelector, keySetMetrics };
    return createIssuerAuthentication(options, config);
  }

  #warnOfShortTtl(logger: Logger): void {
    const { configFile, cacheTtl } = this.webhook;
    if (configFile === '' || cacheTtl <= 0 || cacheTtl >= TOKEN_SUCCESS_TTL_MS) return;
    const [own, overall] = [cacheTtl, TOKEN_SUCCESS_TTL_MS].map(formatGoDuration);
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

  /** Upstream: certificatesOverlap of pkg/kubeapiserver/options/authentication.go */
  #validateAuthorities(): readonly Error[] {
    const { clientCAFile, allowedNames } = this.requestHeader;
    if (this.clientCAFile === '' || clientCAFile === '' || allowedNames.length > 0) return [];
    const clients = certificatesOf(this.clientCAFile);
    const overlaps = certificatesOf(clientCAFile).some((der) => clients.some((other) => other.equals(der)));
    if (!overlaps) return [];
    return [
      new Error(
        '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
      ),
    ];
  }

  #readTokenFile(): TokenFile | undefined {
    if (this.tokenAuthFile === '') return undefined;
    return { path: this.tokenAuthFile, text: readRequiredFile(this.tokenAuthFile) };
  }
}

/** The DER of a bundle; none if it cannot be read, which another check reports. */
function certificatesOf(file: string): readonly Buffer[] {
  try {
    return parseCertificateBundle(readFileSync(file, 'utf8')).map(({ der }) => Buffer.from(der));
  } catch {
    return [];
  }
}
