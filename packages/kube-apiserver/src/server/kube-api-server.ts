import type { ApiextensionsServer } from '@apiserver/apiextensions';
import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import {
  authenticationGroup,
  authorizationGroup,
  builtinGroups,
  systemPriorityClasses,
} from '@apiserver/builtin-resources';
import {
  type ControllerHook,
  type KubernetesServiceController,
  systemNamespacesController,
  systemPriorityClassesHook,
} from '@apiserver/controlplane';
import type { Completed, GenericServer, PostStartHook } from '@apiserver/generic-server';
import { installLogFiles, newGenericServer } from '@apiserver/generic-server';
import { enabledParts } from '../api-enablement/enabled-groups.js';
import { introducedResources } from '../api-enablement/introduced-resources.js';
import type { ResourceConfig } from '../api-enablement/resource-config.js';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { measureStorage } from '../storage/measure-storage.js';
import { storageReadinessHook } from '../storage/storage-readiness.js';
import { flowControlProducers } from './flow-control-hooks.js';
import { extraGroupsOf, groupDependencies } from './group-dependencies.js';
import { identityHooks, tokenTrackingHook } from './identity-hooks.js';
import { addLeaderElection } from './leader-election.js';
import { installOpenIdMetadata } from './open-id-metadata.js';
import { addPeerEndpoint } from './peers.js';
import { rbacHook } from './rbac-hook.js';
import { addControllers } from './server-controllers.js';
import { createAllocators } from './service-allocation.js';
import { createServiceControllers } from './service-controllers.js';

/**
 * The server of the built-in groups, before that of custom resources, with the controllers that run beside them.
 * Upstream: pkg/controlplane.CompletedConfig.New
 */
export function kubeApiServer(
  config: Completed<CompletedKubeApiServerConfig>,
  custom: ApiextensionsServer,
): GenericServer {
  const { generic, storage } = config;
  // Discovery covers the whole chain.
  const discovery = { ...generic.discovery, delegated: [custom.server.apiContainer] };
  const server = newGenericServer({ ...generic, discovery }, { name: 'kube-apiserver', delegate: custom.server });
  server.disposables.use(measureStorage(storage, generic, config.randomInt));
  const allocators = createAllocators(config);
  const groups = [
    authenticationGroup(generic),
    authorizationGroup(generic),
    ...builtinGroups(groupDependencies(config, allocators)),
  ];
  for (const group of groups) {
    for (const part of enabledParts(group, enabledIn(group, config))) server.installApiGroup(part);
  }
  for (const group of extraGroupsOf(config)) server.installApiGroup(group);
  installOpenIdMetadata(server, config);
  if (config.enableLogsHandler) installLogFiles(server.nonGoRestfulMux);
  const { repair, kubernetesService, defaultServiceCIDR } = createServiceControllers(config, allocators);
  // In upstream's order, in which /livez lists them.
  addHooks(server, [systemNamespacesHook(config)]);
  addLeaderElection(server, config);
  addPeerEndpoint(server, config);
  addHooks(server, identityHooks(config));
  if (config.resources.features.enabled('WatchCacheInitializationPostStartHook')) {
    server.addPostStartHook('storage-readiness', readinessHook(config));
  }
  addHooks(server, [tokenTrackingHook(config), repair, rbacHook(config), priorityClassesHook(config)]);
  addHooks(server, flowControlProducers(config));
  addHooks(server, [kubernetesService, defaultServiceCIDR]);
  stopFirst(server, kubernetesService);
  addControllers(server, config);
  return server;
}

function enabledIn(group: APIGroupInfo, { enabled, emulation }: CompletedKubeApiServerConfig): ResourceConfig {
  return emulation === undefined ? enabled : introducedResources(group, enabled, emulation);
}

function addHooks(server: GenericServer, hooks: readonly ControllerHook[]): void {
  for (const hook of hooks) server.addPostStartHook(hook.name, (context) => hook.run(context));
}

function systemNamespacesHook({ generic, storage, randomInt: random }: CompletedKubeApiServerConfig): ControllerHook {
  const { clock } = generic;
  const controller = systemNamespacesController({ clock, random, logger: generic.logger.named('system-namespaces') });
  return {
    name: 'start-system-namespaces-controller',
    async run(context) {
      await storage.provider.ready(context.signal);
      await controller.run(context);
    },
  };
}

function priorityClassesHook({ generic }: CompletedKubeApiServerConfig): ControllerHook {
  const { clock, logger } = generic;
  return systemPriorityClassesHook({ classes: systemPriorityClasses, clock, logger: logger.named('priority-classes') });
}

function readinessHook({ generic, storage: { provider } }: CompletedKubeApiServerConfig): PostStartHook {
  const { clock, storageInitializationTimeout: timeout } = generic;
  return storageReadinessHook({ provider, clock, logger: generic.logger.named('storage-readiness'), timeout });
}

/** Removes this server from the endpoints while it still responds. */
function stopFirst(server: GenericServer, kubernetesService: KubernetesServiceController): void {
  server.addPreShutdownHook('stop-kubernetes-service-controller', () => kubernetesService.stop());
}
