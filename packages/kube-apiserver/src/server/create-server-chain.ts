import { type Aggregator, newAggregator, type ProxyingConfig } from '@apiserver/aggregator';
import { groupVersions } from '@apiserver/api';
import { type ApiextensionsServer, newApiextensionsServer } from '@apiserver/apiextensions';
import type { APIGroupInfo, Handler } from '@apiserver/apiserver-contracts';
import { JWKS_PATH } from '@apiserver/authentication';
import {
  authenticationGroup,
  authorizationGroup,
  type BuiltinGroup,
  builtinGroups,
  configuredDefinition,
  systemPriorityClasses,
} from '@apiserver/builtin-resources';
import { type ControllerHook, systemNamespacesController, systemPriorityClassesHook } from '@apiserver/controlplane';
import { createOpenApi, type InstalledView, mergedContainers } from '@apiserver/endpoints-installer';
import type {
  Completed,
  CompletedGenericServerConfig,
  GenericServer,
  HandlerSource,
  PostStartHook,
} from '@apiserver/generic-server';
import { externalAddress, newEmptyDelegate, newGenericServer, notFoundWhenComplete } from '@apiserver/generic-server';
import { type InstallOptions, installedResource, type StorageProvider } from '@apiserver/registry-store';
import { enabledParts } from '../api-enablement/enabled-groups.js';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { encryptionChecks, encryptionHooks, transformersOf } from '../storage/encryption-at-rest.js';
import { storageChecks } from '../storage/storage-checks.js';
import { createStorageMetrics } from '../storage/storage-metrics.js';
import { storageReadinessHook } from '../storage/storage-readiness.js';
import { type ConnectionParts, createConnectionParts } from './connection-parts.js';
import { createDeviceParts, type DeviceParts } from './device-parts.js';
import { identityHooks } from './identity-parts.js';
import { createInformerParts, type InformerParts } from './informer-parts.js';
import { createPodParts, type PodParts } from './pod-parts.js';
import { createPolicyParts, type PolicyParts } from './policy-parts.js';
import { createServiceParts, type ServiceParts } from './service-parts.js';
import { createTokenParts, installOpenIdMetadata, type TokenParts } from './token-parts.js';

/**
 * Builds the chain inside out: not-found ← custom resources ← built-in groups ← aggregator. Returns the outermost server,
 * which requests come to; `signals.ready` of its context is given when /readyz answers 200.
 * Upstream: cmd/kube-apiserver/app/server.go (CreateServerChain)
 */
export function createServerChain(given: Completed<CompletedKubeApiServerConfig>): GenericServer {
  const informers = createInformerParts(given.storage.provider, given.generic.clock);
  const config = { ...given, generic: withStorageChecks(given, informers) };
  const { loopback, signals, logger } = config.generic;
  const custom = apiextensionsServer(config, notFoundWhenComplete(signals.muxAndDiscoveryComplete, logger));
  const server = kubeApiServer(config, { custom, informers });
  const aggregator = aggregatorServer(config, { server, custom });
  loopback.serve(aggregator.server.handler);
  void Promise.all([custom.synced, aggregator.initiated]).then(() => signals.muxAndDiscoveryComplete.signal());
  void Promise.all([signals.postStartHooksDone.signaled, aggregator.registered]).then(() => signals.ready.signal());
  return aggregator.server;
}

/** The server of the built-in groups. Upstream: pkg/controlplane.CompletedConfig.New */
function kubeApiServer(
  config: Completed<CompletedKubeApiServerConfig>,
  { custom, informers }: { readonly custom: ApiextensionsServer; readonly informers: InformerParts },
): GenericServer {
  const { generic, storage } = config;
  const { clock, signals } = generic;
  const { provider } = storage;
  const server = newGenericServer(withDelegated(generic, custom.server), {
    name: 'kube-apiserver',
    delegate: custom.server,
  });
  server.own(createStorageMetrics(storage, generic, config.randomInt));
  const services: ServiceParts = createServiceParts(config);
  const policy = createPolicyParts(config);
  const tokens = createTokenParts(config);
  const pods = createPodParts(config);
  const devices = createDeviceParts(config);
  const connections = createConnectionParts(config);
  for (const group of [authenticationGroup(config.generic), authorizationGroup(config.generic)]) {
    for (const part of enabledParts(group, config.enabled)) server.installApiGroup(part);
  }
  installOpenIdMetadata(server, config, async () =>
    externalAddress(generic.externalAddress, (await signals.listening.signaled).port),
  );
  for (const group of builtinGroups()) {
    const info = groupInfo(
      group,
      { provider, parts: [services, policy, tokens, pods, connections, devices], pods },
      config,
    );
    for (const part of enabledParts(info, config.enabled)) server.installApiGroup(part);
  }
  const priorityClasses = systemPriorityClassesHook({
    classes: systemPriorityClasses,
    clock,
    logger: generic.logger.named('priority-classes'),
  });
  addHooks(server, {
    'generic-apiserver-start-informers': informers.start,
    'start-system-namespaces-controller': async (context) => {
      await provider.ready(context.signal);
      const logger = generic.logger.named('system-namespaces');
      await systemNamespacesController({ clock, random: config.randomInt, logger }).run(context);
    },
    [policy.hookName]: (context) => policy.runHook(context),
    [priorityClasses.name]: (context) => priorityClasses.run(context),
    ...hooksByName([services.repair, services.kubernetesService, services.defaultServiceCIDR]),
    ...encryptionHooks(storage),
    ...hooksByName(identityHooks(config)),
    'storage-readiness': readinessHook(config),
  });
  server.addPreShutdownHook('stop-kubernetes-service-controller', () => services.kubernetesService.stop());
  return server;
}

function readinessHook({ generic, storage: { provider } }: CompletedKubeApiServerConfig): PostStartHook {
  const { clock, storageInitializationTimeout: timeout } = generic;
  return storageReadinessHook({ provider, clock, logger: generic.logger.named('storage-readiness'), timeout });
}

/** The head of the chain; OpenAPI describes everything that stands behind it. */
function aggregatorServer(
  config: Completed<CompletedKubeApiServerConfig>,
  { server, custom }: { readonly server: GenericServer; readonly custom: ApiextensionsServer },
): Aggregator {
  const { generic, storage } = config;
  const aggregator = newAggregator(
    {
      generic,
      provider: storage.provider,
      clock: generic.clock,
      install: installOptionsOf(config),
      logger: generic.logger.named('aggregator'),
      delegated: mergedContainers(server.apiContainer, custom.server.apiContainer),
      definitions: custom.definitions,
      proxying: proxyingOf(config),
    },
    server,
  );
  const everything = [aggregator.server, server, custom.server].map(({ apiContainer }) => apiContainer);
  const hasOpenIdPaths = server.nonGoRestfulMux.listedPaths().includes(JWKS_PATH);
  aggregator.server.addHandlerSource(openApi(mergedContainers(...everything), config, hasOpenIdPaths));
  return aggregator;
}

/** The innermost server: what the built-in groups do not know may be a custom resource. `end` answers what nobody knows. */
function apiextensionsServer(config: Completed<CompletedKubeApiServerConfig>, end: Handler): ApiextensionsServer {
  const { generic, storage } = config;
  const { provider, stores, root: storagePrefix, metrics, watchCache } = storage;
  const { clock, codecFor } = generic;
  const install = installOptionsOf(config);
  const logger = generic.logger.named('apiextensions');
  const serveDefinitions = config.enabled.isEnabled({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
  });
  return newApiextensionsServer(
    {
      ...{ generic, provider, store: stores.main, storagePrefix, clock, codecFor, install, logger, serveDefinitions },
      transformerFor: transformersOf(storage),
      uncached: () => !watchCache,
      ...metrics,
    },
    newEmptyDelegate(end),
  );
}

function proxyingOf({ aggregator }: CompletedKubeApiServerConfig): ProxyingConfig {
  const { certificate: files, ...routing } = aggregator;
  return {
    ...routing,
    certificate: () => {
      const [certificate = '', key = ''] = files?.contents ?? [];
      return { certificate, key };
    },
    ...(files && {
      followCertificate: (changed, signal) => {
        files.onChange(changed);
        files.follow(signal);
      },
    }),
  };
}

/** Every server of the chain checks the store; the first one that is asked names it first. */
function withStorageChecks(
  config: CompletedKubeApiServerConfig,
  informers: InformerParts,
): Completed<CompletedGenericServerConfig> {
  const { generic } = config;
  const { health, ready } = storageChecks(config.storage, generic);
  const encryption = encryptionChecks(config.storage);
  return {
    ...generic,
    healthChecks: [...generic.healthChecks, ...health],
    healthzChecks: [...generic.healthzChecks, ...encryption],
    readyzChecks: [...generic.readyzChecks, ...ready, informers.synced, ...encryption],
  };
}

/** Discovery tells of the whole chain. */
function withDelegated(
  generic: Completed<CompletedGenericServerConfig>,
  { apiContainer }: GenericServer,
): Completed<CompletedGenericServerConfig> {
  return { ...generic, discovery: { ...generic.discovery, delegated: [apiContainer] } };
}

/** The kinds of all built-in groups are known, whether they are served or not. */
function openApi(
  container: InstalledView,
  { generic }: CompletedKubeApiServerConfig,
  hasOpenIdPaths: boolean,
): HandlerSource {
  const { emulationMajor, emulationMinor } = generic.version;
  const { handlerFor } = createOpenApi({
    container,
    logger: generic.logger.named('openapi'),
    info: { title: 'Kubernetes', version: `${emulationMajor}.${emulationMinor}` },
    hasOpenIdPaths,
    knownGroupVersions: groupVersions,
    now: generic.now,
  });
  return { handlerFor, listedPaths: () => ['/openapi/v2', '/openapi/v3'] };
}

/** What the resources of one server are made with. */
interface ServerParts {
  readonly provider: StorageProvider;
  /** Each may put a definition of its own in the place of a built-in one. */
  readonly parts: readonly Pick<
    ServiceParts | PolicyParts | TokenParts | PodParts | ConnectionParts | DeviceParts,
    'definitionFor'
  >[];
  readonly pods: PodParts;
}

/** What the Stores of built-in kinds, custom resources and APIServices share. */
function installOptionsOf({ generic, randomInt, newUid, storage }: CompletedKubeApiServerConfig): InstallOptions {
  const { clock } = generic;
  const { deleteCollectionWorkers, enableGarbageCollection } = storage;
  return { clock, random: randomInt, newUid, deleteCollectionWorkers, enableGarbageCollection };
}

function groupInfo(
  { group, versions, definitions }: BuiltinGroup,
  { provider, parts, pods }: ServerParts,
  config: CompletedKubeApiServerConfig,
): APIGroupInfo {
  const options = installOptionsOf(config);
  return {
    group,
    versions,
    resources: pods.withBindings(
      definitions.map((definition) => {
        const own = parts.reduce(
          (made, part) => part.definitionFor(made),
          configuredDefinition(definition, config.resources),
        );
        return installedResource(own, provider, options);
      }),
    ),
  };
}

function hooksByName(hooks: readonly ControllerHook[]): Readonly<Record<string, PostStartHook>> {
  return Object.fromEntries(hooks.map((hook) => [hook.name, (context) => hook.run(context)]));
}

function addHooks(server: GenericServer, hooks: Readonly<Record<string, PostStartHook>>): void {
  for (const [name, hook] of Object.entries(hooks)) server.addPostStartHook(name, hook);
}
