import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import {
  type AuthenticationConfiguration,
  type EgressLookup,
  ExpressionCompiler,
  type IssuerEnvironment,
  IssuerSet,
  OidcMetrics,
  type ValidationContext,
  validateConfiguration,
} from '@apiserver/authentication/oidc';
import { StartupError } from '@apiserver/component-base/process';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { ConfigurationMetrics } from './configuration-metrics.js';
import { ConfigurationReloader } from './configuration-reloader.js';

/** Input of the authentication of issuers. */
export interface IssuerAuthenticationOptions {
  readonly configuration: AuthenticationConfiguration;
  /** The file of the configuration, which is followed; undefined for one by flags. */
  readonly file: { readonly path: string; readonly text: string } | undefined;
  /** Signature algorithms that tokens may have. */
  readonly algorithms: readonly string[];
  /** The issuers of the server's own tokens. */
  readonly ownIssuers: readonly string[];
  /** The identity of this server, for metrics. */
  readonly serverId: string;
  readonly egress?: EgressLookup | undefined;
  /** Upstream feature gate: StructuredAuthenticationConfigurationEgressSelector */
  readonly egressSelector: boolean;
  /** Upstream feature gate: StructuredAuthenticationConfigurationJWKSMetrics */
  readonly keySetMetrics: boolean;
}

/**
 * Authenticates the tokens of issuers, which are discovered in the background. Throws an Error for a configuration that
 * is not valid.
 * Upstream: ToAuthenticationConfig and ApplyTo of pkg/kubeapiserver/options/authentication.go
 */
export function createIssuerAuthentication(
  options: IssuerAuthenticationOptions,
  { clock, logger, metrics, disposables }: GenericServerConfig,
): TokenAuthenticator {
  const { configuration, file, algorithms, egress, keySetMetrics, serverId } = options;
  const context: ValidationContext = {
    compiler: new ExpressionCompiler(),
    disallowedIssuers: options.ownIssuers,
    egressSelector: options.egressSelector,
  };
  const { issuers, errors } = validateConfiguration(configuration, context);
  if (errors.length > 0) {
    throw new StartupError(`invalid authentication configuration: ${aggregateFieldErrors(errors)}`);
  }
  const lifetime = new AbortController();
  disposables.defer(() => lifetime.abort());
  const now = () => clock.now();
  const oidcMetrics = new OidcMetrics(metrics, { serverId, now, keySets: keySetMetrics });
  const environment: IssuerEnvironment = {
    algorithms,
    egress,
    clock,
    metrics: oidcMetrics,
    logger: oidcLogger(logger),
    signal: lifetime.signal,
  };
  const set = new IssuerSet(issuers, environment);
  void set.start();
  if (file === undefined) return set;
  const reloader = new ConfigurationReloader({
    ...file,
    context,
    environment,
    logger,
    initial: set,
    anonymous: configuration.anonymous,
    metrics: new ConfigurationMetrics(metrics, serverId, now),
  });
  reloader.start();
  return reloader;
}

function oidcLogger(logger: Logger): Logger {
  return logger.named('oidc');
}
