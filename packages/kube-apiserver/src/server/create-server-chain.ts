import { createDiscoveryMetrics, type DiscoveryMetrics } from '@apiserver/aggregator';
import type { Filter } from '@apiserver/apiserver-contracts';
import { mergedContainers } from '@apiserver/endpoints-installer';
import type { Completed, CompletedGenericServerConfig, GenericServer } from '@apiserver/generic-server';
import { notFoundWhenComplete } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { encryptionChecks } from '../storage/encryption-at-rest.js';
import { storageChecks } from '../storage/storage-checks.js';
import { aggregatorServer } from './aggregator-server.js';
import { apiextensionsServer } from './apiextensions-server.js';
import { genericHooks } from './generic-hooks.js';
import { type InformerHook, informerHook } from './informer-hook.js';
import { kubeApiServer } from './kube-api-server.js';
import { storageVersionsOf } from './storage-versions.js';

/**
 * Builds the chain inside out: not-found ← custom resources ← built-in groups ← aggregator. Returns the outermost
 * server, which receives the requests. `signals.ready` of its context is set when /readyz returns 200.
 * Upstream: cmd/kube-apiserver/app/server.go (CreateServerChain)
 */
export function createServerChain(given: Completed<CompletedKubeApiServerConfig>): GenericServer {
  const { generic, storage, node } = given;
  const informers = informerHook(storage.provider, generic.clock, node?.synced);
  const discoveryMetrics = createDiscoveryMetrics(
    generic.metrics,
    given.resources.features.enabled('UnknownVersionInteroperabilityProxy'),
  );
  const checked = withDiscoveryMetrics(withChecksAndHooks(given, informers), discoveryMetrics);
  const storageVersions = storageVersionsOf(given);
  const config = { ...given, generic: withInnermost(checked, storageVersions?.filter) };
  const { loopback, signals, logger } = config.generic;
  const custom = apiextensionsServer(config, notFoundWhenComplete(signals.muxAndDiscoveryComplete, logger));
  const server = kubeApiServer(config, custom);
  const aggregator = aggregatorServer(config, { server, custom, discoveryMetrics });
  const servers = [aggregator.server, server, custom.server];
  storageVersions?.start(aggregator.server, mergedContainers(...servers.map(({ apiContainer }) => apiContainer)));
  loopback.serve(aggregator.server.handler);
  void Promise.all([custom.synced, aggregator.initiated]).then(() => signals.muxAndDiscoveryComplete.signal());
  void Promise.all([signals.postStartHooksDone.signaled, aggregator.registered]).then(() => signals.ready.signal());
  return aggregator.server;
}

/** Every server of the chain has the check of the store, and the hooks of the first one. */
function withChecksAndHooks(
  config: CompletedKubeApiServerConfig,
  informers: InformerHook,
): Completed<CompletedGenericServerConfig> {
  const { generic } = config;
  const { health, ready } = storageChecks(config.storage, generic);
  const encryption = encryptionChecks(config.storage);
  return {
    ...generic,
    healthChecks: [...generic.healthChecks, ...health],
    healthzChecks: [...generic.healthzChecks, ...encryption],
    readyzChecks: [...generic.readyzChecks, ...ready, ...encryption, informers.synced],
    postStartHooks: new Map([...generic.postStartHooks, ...genericHooks(config, informers.start)]),
  };
}

/** The aggregator counts requests for `/apis`, another server those for `/api`. */
function withDiscoveryMetrics(
  generic: Completed<CompletedGenericServerConfig>,
  { withoutPeers }: DiscoveryMetrics,
): Completed<CompletedGenericServerConfig> {
  return { ...generic, discovery: { ...generic.discovery, withoutPeers } };
}

function withInnermost(
  generic: Completed<CompletedGenericServerConfig>,
  filter: Filter | undefined,
): Completed<CompletedGenericServerConfig> {
  if (filter === undefined) return generic;
  const { adjustFilters } = generic;
  return { ...generic, adjustFilters: (defaults) => [...adjustFilters(defaults), filter] };
}
