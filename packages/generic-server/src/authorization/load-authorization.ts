import { readFile } from 'node:fs/promises';
import { errorOf, goFileError } from '@apiserver/apimachinery/errors';
import type { ServerAuthorization } from '@apiserver/authorization';
import {
  AccessMatcher,
  type AuthorizerConfiguration,
  compileConditions,
  conditionCompiler,
  loadConfiguration,
} from '@apiserver/authorization/configuration';
import { StartupError } from '@apiserver/component-base/process';
import type { RetryBackoff } from '@apiserver/rest-client';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { authorizationWebhookMetrics } from '../webhooks/webhook-metrics.js';
import { conditionMetrics, decisionMetrics, reloadMetrics } from './authorization-metrics.js';
import { type ConfiguredAuthorizer, chainOf } from './configured-authorizers.js';
import { configuredWebhook } from './configured-webhook.js';
import { FollowedConfiguration, type LoadedConfiguration } from './followed-configuration.js';

/** Reads the file of `--authorization-config`. Rejects with upstream's message. */
export async function loadAuthorizationFile(file: string): Promise<LoadedConfiguration> {
  const content = await readFile(file).catch((error: unknown) => {
    throw new StartupError(goFileError('open', file, errorOf(error)), { cause: error });
  });
  return { content, configuration: loadConfiguration(content, { compiler: conditionCompiler() }) };
}

/** Dependencies of the chain of a file. */
export interface FollowedFileOptions {
  readonly file: string;
  /** Authorizers that live as long as the server, by type. */
  readonly kept: ReadonlyMap<string, ConfiguredAuthorizer>;
  readonly backoff: RetryBackoff;
  /** The name of this server among its peers. */
  readonly serverId: string;
}

/** The chain of a file, which follows its changes until the config's disposables are disposed. */
export function followAuthorizationFile(
  loaded: LoadedConfiguration,
  { file, kept, backoff, serverId }: FollowedFileOptions,
  config: GenericServerConfig,
): ServerAuthorization {
  const { logger, metrics, clock, disposables } = config;
  const compiler = conditionCompiler();
  const requiredTypes = new Set(loaded.configuration.authorizers.map(({ type }) => type));
  requiredTypes.delete('Webhook');
  const metricsOfWebhook = authorizationWebhookMetrics(metrics);
  const observeConditions = conditionMetrics(metrics);
  const webhookOf = ({ name, webhook }: AuthorizerConfiguration) => {
    if (webhook === undefined) throw new StartupError(`webhook ${name} has no configuration`);
    const compiled = compileConditions(webhook.matchConditions, compiler);
    const matcher = compiled.conditions.length === 0 ? undefined : new AccessMatcher(compiled, observeConditions(name));
    return configuredWebhook({ webhook, backoff, matcher, metrics: metricsOfWebhook(name) }, config);
  };
  const observe = decisionMetrics(metrics);
  const followed = new FollowedConfiguration(loaded, {
    file,
    load: (content) => loadConfiguration(content, { compiler, requiredTypes }),
    chainOf: ({ authorizers }) => chainOf(authorizers, { kept, webhook: webhookOf, observe }),
    metrics: reloadMetrics(metrics, serverId, () => clock.now()),
    logger,
  });
  const stop = new AbortController();
  disposables.defer(() => stop.abort());
  followed.follow(stop.signal);
  return followed;
}
