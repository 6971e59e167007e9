import { randomInt, randomUUID } from 'node:crypto';
import type { GroupVersion } from '@apiserver/apimachinery';
import type { AnyResourceDefinition, APIGroupInfo } from '@apiserver/apiserver-contracts';
import { createOpenApi } from '@apiserver/endpoints-installer';
import {
  createStorageProvider,
  type InstallOptions,
  installedResource,
  type KeyValueStore,
  type StorageProvider,
} from '@apiserver/registry-store';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import type { GenericServer } from '../server/generic-server.js';
import type { ServedGroup } from './api-server-options.js';

/** The objects of a server and the config that its storage shares. */
export interface InstallContext {
  readonly name: string;
  readonly storage: KeyValueStore;
  readonly config: Pick<GenericServerConfig, 'clock' | 'codecFor' | 'logger'>;
}

/** Serves groups from one storage, with OpenAPI of everything that is installed. Throws an Error for a mixed group. */
export function installGroups(
  server: GenericServer,
  groups: readonly ServedGroup[],
  { name, storage, config: { clock, codecFor, logger } }: InstallContext,
): void {
  const provider = server.disposables.use(createStorageProvider({ store: storage, clock, codecFor }));
  const install = { clock, random: randomInt, newUid: randomUUID };
  for (const group of groups) server.installApiGroup(apiGroupInfo(group, provider, install));
  server.addHandlerSource(createOpenApi({ container: server.apiContainer, logger, info: { title: name } }));
  server.addPostStartHook('storage-ready', ({ signal }) => provider.ready(signal));
}

/** A group with a Store for each of its resources. Throws an Error for a mixed group. */
export function apiGroupInfo(group: ServedGroup, provider: StorageProvider, install: InstallOptions): APIGroupInfo {
  const { resources, versions = versionsOf(resources) } = group;
  return {
    group: groupOf(resources),
    versions,
    resources: resources.map((definition) => installedResource(definition, provider, install)),
  };
}

/** The group versions that a group serves, the preferred one first. */
export function groupVersionsOf({ resources, versions = versionsOf(resources) }: ServedGroup): readonly GroupVersion[] {
  const group = groupOf(resources);
  return versions.map((version) => ({ group, version }));
}

function groupOf(resources: readonly AnyResourceDefinition[]): string {
  const [first, ...others] = new Set(resources.map(({ group }) => group));
  if (first === undefined) throw new Error('an API group needs a resource');
  if (others.length > 0) throw new Error(`the resources of one API group are of ${[first, ...others].join(' and ')}`);
  return first;
}

function versionsOf(resources: readonly AnyResourceDefinition[]): readonly string[] {
  return [...new Set(resources.flatMap(({ versions }) => versions.map(({ version }) => version)))];
}
