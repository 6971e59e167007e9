import { groupVersions } from '@apiserver/api';
import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { type BuiltinGroup, builtinGroups } from '@apiserver/builtin-resources';
import { systemNamespacesController } from '@apiserver/controlplane';
import { createOpenApi } from '@apiserver/endpoints-installer';
import type { Completed, GenericServer, HandlerSource, PostStartHook } from '@apiserver/generic-server';
import { newEmptyDelegate, newGenericServer, notFoundHandler } from '@apiserver/generic-server';
import {
  createStorageProvider,
  type InstallOptions,
  installedResource,
  type StorageProvider,
} from '@apiserver/registry-store';
import { createCodecCache } from './codec-cache.js';
import type { CompletedKubeApiServerConfig } from './kube-api-server-config.js';
import { createPolicyParts, type PolicyParts } from './policy-parts.js';
import { createServiceParts, type ServiceParts } from './service-parts.js';
import { storageCheck } from './storage-check.js';

/** The servers of one process. */
export interface ServerChain {
  /** The one that requests come to. */
  readonly outermost: GenericServer;
  /** Resolves when every post-start hook has run: /readyz answers 200 then. */
  readonly hooksDone: Promise<void>;
  /** To be told where the server listens, before its hooks can be done. */
  listeningOn(port: number): void;
}

/**
 * Builds the chain inside out: not-found ← built-in groups. Servers of custom resources and the aggregator take their
 * places in it when they are built.
 * Upstream: cmd/kube-apiserver/app/server.go (CreateServerChain)
 */
export function createServerChain(config: Completed<CompletedKubeApiServerConfig>): ServerChain {
  const server = newGenericServer(config.generic, {
    name: 'kube-apiserver',
    delegate: newEmptyDelegate(notFoundHandler),
  });
  config.loopbackClient.bind(server.loopbackClient);
  const provider = createStorageProvider({
    store: config.store,
    root: config.storagePrefix,
    clock: config.clock,
    codecFor: createCodecCache(),
  });
  for (const resource of [config.store, provider, ...config.owned]) server.own(resource);
  const port = Promise.withResolvers<number>();
  const services: ServiceParts = createServiceParts(config, provider, {
    loopbackClient: server.loopbackClient,
    publicPort: () => port.promise,
    whenReady: () => hooksDone,
  });
  const policy = createPolicyParts(config, provider);
  for (const group of builtinGroups()) {
    server.installApiGroup(groupInfo(group, { provider, services, policy }, config));
  }
  server.addHealthChecks(storageCheck(config.store, 'etcd'));
  server.addReadyzChecks(storageCheck(config.store, 'etcd-readiness'));
  server.addHandlerSource(openApi(server, config));
  const hooksDone = addHooks(server, {
    'start-system-namespaces-controller': async (context) => {
      await provider.ready(context.signal);
      const { clock, randomInt, generic } = config;
      const logger = generic.logger.named('system-namespaces');
      await systemNamespacesController({ clock, random: randomInt, logger }).run(context);
    },
    [policy.hookName]: (context) => policy.runHook(context),
    [services.repair.name]: (context) => services.repair.run(context),
    [services.kubernetesService.name]: (context) => services.kubernetesService.run(context),
  });
  server.addPreShutdownHook('stop-kubernetes-service-controller', () => services.kubernetesService.stop());
  return { outermost: server, hooksDone, listeningOn: port.resolve };
}

/** The kinds of all built-in groups are known, whether they are served or not. */
function openApi({ apiContainer }: GenericServer, { generic }: CompletedKubeApiServerConfig): HandlerSource {
  const { handlerFor } = createOpenApi({
    container: apiContainer,
    logger: generic.logger.named('openapi'),
    info: { title: 'Kubernetes', version: generic.version.gitVersion },
    knownGroupVersions: groupVersions,
    now: generic.now,
  });
  return { handlerFor, listedPaths: () => ['/openapi/v2', '/openapi/v3'] };
}

/** What the resources of one server are made with. */
interface ServerParts {
  readonly provider: StorageProvider;
  readonly services: ServiceParts;
  readonly policy: PolicyParts;
}

function groupInfo(
  { group, versions, definitions }: BuiltinGroup,
  { provider, services, policy }: ServerParts,
  { clock, randomInt, newUid }: CompletedKubeApiServerConfig,
): APIGroupInfo {
  const options: InstallOptions = { clock, random: randomInt, newUid };
  return {
    group,
    versions,
    resources: definitions.map((definition) =>
      installedResource(policy.definitionFor(services.definitionFor(definition)), provider, options),
    ),
  };
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
