import type { Authorizer, RuleResolver } from '@apiserver/apiserver-contracts';
import {
  alwaysAllow,
  alwaysDeny,
  authorizationChain,
  type ChainLink,
  type ObserveLink,
  type ServerAuthorization,
} from '@apiserver/authorization';
import type { AuthorizerConfiguration } from '@apiserver/authorization/configuration';
import { StartupError } from '@apiserver/component-base/process';

/** An authorizer that can list rules. */
export type ConfiguredAuthorizer = Authorizer & RuleResolver;

/** The authorizers of a server, made from configurations. */
export interface ConfiguredAuthorizersOptions {
  /** Authorizers that live as long as the server, by type: those that the configuration of the start names. */
  readonly kept: ReadonlyMap<string, ConfiguredAuthorizer>;
  /** Makes the authorizer of a webhook. Throws an Error for one that cannot be used. */
  readonly webhook: (configuration: AuthorizerConfiguration) => ConfiguredAuthorizer;
  readonly observe: ObserveLink;
}

/**
 * Makes the chain of a valid configuration. Throws an Error with upstream's message.
 * Upstream: newForConfig of pkg/kubeapiserver/authorizer/reload.go
 */
export function chainOf(
  configured: readonly AuthorizerConfiguration[],
  options: ConfiguredAuthorizersOptions,
): ServerAuthorization {
  const links = configured.map(
    (one): ChainLink => ({ type: one.type, name: one.name, authorizer: authorizerOf(one, options) }),
  );
  return authorizationChain(links, options.observe);
}

function authorizerOf(
  configuration: AuthorizerConfiguration,
  { kept, webhook }: ConfiguredAuthorizersOptions,
): ConfiguredAuthorizer {
  const { type } = configuration;
  if (type === 'AlwaysAllow') return alwaysAllow();
  if (type === 'AlwaysDeny') return alwaysDeny();
  if (type === 'Webhook') return webhook(configuration);
  const found = kept.get(type);
  if (found !== undefined) return found;
  throw new StartupError(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
}
