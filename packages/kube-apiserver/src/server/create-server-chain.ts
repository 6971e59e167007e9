import { type Aggregator, newAggregator, type ProxyingConfig } from '@apiserver/aggregator';
import { fieldDescriptions, groupVersions } from '@apiserver/api';
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
import { createCodecCache, createOpenApi, type InstalledView, mergedContainers } from '@apiserver/endpoints-installer';
import type {
  Completed,
  CompletedGenericServerConfig,
  GenericServer,
  HandlerSource,
  PostStartHook,
} from '@apiserver/generic-server';
import { externalAddress, newEmptyDelegate, newGenericServer, notFoundWhenComplete } from '@apiserver/generic-server';
import {
  type InstallOptions,
  installedResource,
  type StorageProvider,
  type StorageProviderOptions,
} from '@apiserver/registry-store';
import { enabledParts } from '../api-enablement/enabled-groups.js';
import { createCacheMetrics } from './cache-metrics.js';
import { type ConnectionParts, createConnectionParts } from './connection-parts.js';
import { createDeviceParts, type DeviceParts } from './device-parts.js';
import { encryptionChecks, encryptionHooks, transformersOf } from './encryption-parts.js';
import { identityHooks } from './identity-parts.js';
import { createInformerParts, type InformerParts } from './informer-parts.js';
import type { CompletedKubeApiServerConfig } from './kube-api-server-config.js';
import { createPodParts, type PodParts } from './pod-parts.js';
import { createPolicyParts, type PolicyParts } from './policy-parts.js';
import { createServiceParts, type ServiceParts } from './service-parts.js';
import { createProvider, createStorageMetrics, storageChecks } from './storage-parts.js';
import { storageReadinessHook } from './storage-readiness.js';
import { createStoreMetrics } from './store-metrics.js';
import { createTokenParts, installOpenIdMetadata, type TokenParts } from './token-parts.js';

/** The servers of one process. */
export interface ServerChain {
  /** The one that requests come to. */
  readonly outermost: GenericServer;
  /** Resolves when every post-start hook has run and all built-in groups are registered: /readyz answers 200 then. */
  readonly ready: Promise<void>;
  /** To be told where the server listens, before its hooks can be done. */
  listeningOn(port: number): void;
}

/**
 * Builds the chain inside out: not-found ← custom resources ← built-in groups ← aggregator.
 * Upstream: cmd/kube-apiserver/app/server.go (CreateServerChain)
 */
export function createServerChain(config: Completed<CompletedKubeApiServerConfig>): ServerChain {
  const codecFor = createCodecCache();
  const storageMetrics = {
    cacheMetrics: createCacheMetrics(config.generic.metrics),
    storeMetrics: createStoreMetrics(config.generic.metrics),
  };
  const provider = createProvider(config, codecFor, storageMetrics);
  // Storage and endpoints work with the same kinds: each is compiled once for both.
  const informers = createInformerParts(() => provider, config.clock);
  const generic = { ...withStorageChecks(config, informers), codecFor, fieldDescription: fieldDescriptions() };
  let isComplete = false;
  const end = notFoundWhenComplete(() => isComplete, generic.logger);
  const custom = apiextensionsServer({ ...config, generic }, { provider, codecFor, storageMetrics, end });
  const server = newGenericServer(withDelegated(generic, custom.server), {
    name: 'kube-apiserver',
    delegate: custom.server,
  });
  for (const resource of [...config.owned, createStorageMetrics(config, provider)]) server.own(resource);
  if (config.storage.encryption !== undefined) server.own(config.storage.encryption);
  const port = Promise.withResolvers<number>();
  const services: ServiceParts = createServiceParts(config, provider, {
    loopbackClient: config.loopbackClient,
    publicPort: () => port.promise,
    whenReady: () => ready,
  });
  const policy = createPolicyParts(config, provider, () => ready);
  const tokens = createTokenParts(config);
  const pods = createPodParts(config);
  const devices = createDeviceParts(config);
  const connections = createConnectionParts(config);
  for (const group of [authenticationGroup(config.generic), authorizationGroup(config.generic)]) {
    for (const part of enabledParts(group, config.enabled)) server.installApiGroup(part);
  }
  installOpenIdMetadata(server, config, async () =>
    externalAddress(config.generic.externalAddress, await port.promise),
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
    clock: config.clock,
    logger: config.generic.logger.named('priority-classes'),
  });
  const identity = identityHooks(config, () => ready);
  const hooksDone = addHooks(server, {
    'generic-apiserver-start-informers': informers.start,
    'start-system-namespaces-controller': async (context) => {
      await provider.ready(context.signal);
      const { clock, randomInt, generic } = config;
      const logger = generic.logger.named('system-namespaces');
      await systemNamespacesController({ clock, random: randomInt, logger }).run(context);
    },
    [policy.hookName]: (context) => policy.runHook(context),
    [priorityClasses.name]: (context) => priorityClasses.run(context),
    ...hooksByName([services.repair, services.kubernetesService, services.defaultServiceCIDR]),
    ...encryptionHooks(config.storage),
    ...hooksByName(identity),
    'storage-readiness': readinessHook(config, provider),
  });
  server.addPreShutdownHook('stop-kubernetes-service-controller', () => services.kubernetesService.stop());
  const aggregator = aggregatorOf({ ...config, generic }, { provider, server, custom });
  void Promise.all([custom.synced, aggregator.initiated]).then(() => {
    isComplete = true;
  });
  const ready = Promise.all([hooksDone, aggregator.registered]).then(() => {});
  return { outermost: aggregator.server, ready, listeningOn: port.resolve };
}

function readinessHook({ clock, generic }: CompletedKubeApiServerConfig, provider: StorageProvider): PostStartHook {
  const logger = generic.logger.named('storage-readiness');
  return storageReadinessHook({ provider, clock, logger, timeout: generic.storageInitializationTimeout });
}

/** The head of the chain; loopback clients and OpenAPI see everything that stands behind it. */
function aggregatorOf(
  config: Completed<CompletedKubeApiServerConfig>,
  behind: {
    readonly provider: StorageProvider;
    readonly server: GenericServer;
    readonly custom: ApiextensionsServer;
  },
): Aggregator {
  const { generic, clock, loopbackClient } = config;
  const { provider, server, custom } = behind;
  const aggregator = newAggregator(
    {
      generic,
      provider,
      clock,
      install: installOptionsOf(config),
      logger: generic.logger.named('aggregator'),
      delegated: mergedContainers(server.apiContainer, custom.server.apiContainer),
      definitions: custom.definitions,
      proxying: proxyingOf(config),
    },
    server,
  );
  loopbackClient.bind(aggregator.server.loopbackClient);
  const everything = [aggregator.server, server, custom.server].map(({ apiContainer }) => apiContainer);
  const hasOpenIdPaths = server.nonGoRestfulMux.listedPaths().includes(JWKS_PATH);
  aggregator.server.addHandlerSource(openApi(mergedContainers(...everything), config, hasOpenIdPaths));
  return aggregator;
}

/** What custom resources are served with. */
interface CustomResourceParts {
  readonly provider: StorageProvider;
  readonly codecFor: ReturnType<typeof createCodecCache>;
  readonly storageMetrics: Pick<StorageProviderOptions, 'cacheMetrics' | 'storeMetrics'>;
  /** Answers what nobody knows. */
  readonly end: Handler;
}

/** The innermost server: what the built-in groups do not know may be a custom resource. */
function apiextensionsServer(
  config: Completed<CompletedKubeApiServerConfig>,
  { provider, codecFor, storageMetrics, end }: CustomResourceParts,
): ApiextensionsServer {
  const { store, storagePrefix, clock, generic } = config;
  const install = installOptionsOf(config);
  const logger = generic.logger.named('apiextensions');
  const serveDefinitions = config.enabled.isEnabled({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
  });
  return newApiextensionsServer(
    {
      ...{ generic, provider, store, storagePrefix, clock, codecFor, install, logger, serveDefinitions },
      transformerFor: transformersOf(config.storage),
      uncached: () => !config.storage.watchCache,
      ...storageMetrics,
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

/** Every server of the chain checks the store; who is asked first names it first. */
function withStorageChecks(
  config: CompletedKubeApiServerConfig,
  informers: InformerParts,
): Completed<CompletedGenericServerConfig> {
  const { generic } = config;
  const { health, ready } = storageChecks(config);
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
function installOptionsOf({ clock, randomInt, newUid, storage }: CompletedKubeApiServerConfig): InstallOptions {
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

/** Adds the hooks and answers when all of them have run. A hook that fails ends the server, not this promise. */
function addHooks(server: GenericServer, hooks: Readonly<Record<string, PostStartHook>>): Promise<void> {
  const done = Object.entries(hooks).map(([name, hook]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.addPostStartHook(name, async (context) => {
      await hook(context);
      resolve();
    });
    return promise;
  });
  return Promise.all(done).then(() => {});
}
