import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import type { BuiltinGroupDependencies } from '@apiserver/builtin-resources';
import type { ServerServiceAllocators } from '@apiserver/controlplane';
import { apiGroupInfo } from '@apiserver/generic-server';
import { type InstallOptions, installedResource } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { connectionOptionsOf } from './connection-options.js';
import { deviceAccessOf } from './device-access.js';
import { escalationGuardOf } from './escalation-guard.js';
import { evictionOptionsOf } from './eviction-options.js';
import { paramAccessOf } from './param-access.js';
import { serviceStoreOptionsOf } from './service-allocation.js';

/** The dependencies of the built-in groups on this server. */
export function groupDependencies(
  config: CompletedKubeApiServerConfig,
  allocators: ServerServiceAllocators,
): BuiltinGroupDependencies {
  const { generic, storage, resources, serviceAccounts } = config;
  const { generator: issuer, maxExpirationSeconds, extendExpiration, maxExtendedSeconds, objects } = serviceAccounts;
  const { apiAudiences: audiences, now } = generic;
  const { features } = resources;
  const options = installOptionsOf(config);
  return {
    ...resources,
    clock: generic.clock,
    install: (definition) => installedResource(definition, storage.provider, options),
    escalation: escalationGuardOf(config),
    allocation: serviceStoreOptionsOf(config, allocators),
    connections: connectionOptionsOf(config),
    evictions: evictionOptionsOf(config),
    deviceAccess: deviceAccessOf(config),
    paramAccess: paramAccessOf(config),
    signers: generic.authorizer,
    tokens: { issuer, audiences, maxExpirationSeconds, extendExpiration, maxExtendedSeconds, objects, now, features },
  };
}

/** The groups that a program adds, with their Stores. */
export function extraGroupsOf(config: CompletedKubeApiServerConfig): readonly APIGroupInfo[] {
  const { extraGroups, storage } = config;
  return extraGroups.map((group) => apiGroupInfo(group, storage.provider, installOptionsOf(config)));
}

/** Options of the Stores of built-in kinds, custom resources and APIServices. */
export function installOptionsOf(config: CompletedKubeApiServerConfig): InstallOptions {
  const { generic, randomInt, newUid, storage } = config;
  const { deleteCollectionWorkers, enableGarbageCollection } = storage;
  return { clock: generic.clock, random: randomInt, newUid, deleteCollectionWorkers, enableGarbageCollection };
}
