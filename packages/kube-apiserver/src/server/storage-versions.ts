import { groupVersions } from '@apiserver/api';
import { formatGroupResource } from '@apiserver/apimachinery';
import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { AnyResourceDefinition, Exchange, Filter, Logger } from '@apiserver/apiserver-contracts';
import { wellKnownGroups, wellKnownUsers } from '@apiserver/apiserver-contracts';
import { builtinGroupVersions } from '@apiserver/builtin-resources';
import { apiServerID, StorageVersionManager, type StoredResource, storageVersionHook } from '@apiserver/controlplane';
import { compareKubeAwareVersions, type InstalledView, respondError } from '@apiserver/endpoints-installer';
import type { GenericServer } from '@apiserver/generic-server';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** Blocks writes until this server has recorded in which versions it stores its resources. */
export interface StorageVersions {
  /** The innermost filter of the server. */
  readonly filter: Filter;
  /** Records the built-in resources of the view. */
  start(server: GenericServer, view: InstalledView): void;
}

/** True if servers record their storage versions. Upstream feature gates: StorageVersionAPI, APIServerIdentity */
export function recordsStorageVersions({ resources }: Pick<CompletedKubeApiServerConfig, 'resources'>): boolean {
  return resources.features.enabled('StorageVersionAPI') && resources.features.enabled('APIServerIdentity');
}

/** Undefined without the gate. */
export function storageVersionsOf(config: CompletedKubeApiServerConfig): StorageVersions | undefined {
  if (!recordsStorageVersions(config)) return undefined;
  const { clock } = config.generic;
  const logger = config.generic.logger.named('storage-versions');
  const manager = new StorageVersionManager({ id: apiServerID(config.hostname), clock, logger });
  return {
    filter: storageVersionFilter(manager, logger),
    start: (server, view) => {
      manager.expect(storedResources(view));
      const hook = storageVersionHook(manager, clock);
      server.addPostStartHook(hook.name, (context) => hook.run(context));
    },
  };
}

/**
 * Passes reads, and those writes that recording needs.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/storageversion.go
 */
export function storageVersionFilter(
  manager: Pick<StorageVersionManager, 'isCompleted' | 'isPending' | 'lastError'>,
  logger: Logger,
): Filter {
  return {
    name: 'storageVersion',
    wrap: (next) => (exchange) => {
      const { requestInfo } = exchange.context;
      if (manager.isCompleted || requestInfo === undefined || isAllowed(exchange)) return next(exchange);
      const resource = { group: requestInfo.apiGroup, resource: requestInfo.resource };
      if (!manager.isPending(resource)) return next(exchange);
      const waiting = `wait for storage version registration to complete for resource: ${formatGroupResource(resource)}`;
      const reason = `${waiting}, last seen error: ${manager.lastError(resource)}`;
      return respondError(exchange, newServiceUnavailable(reason), logger);
    },
  };
}

function isAllowed({ context: { requestInfo, user } }: Exchange): boolean {
  if (!requestInfo?.isResourceRequest) return true;
  const { verb, apiGroup, resource, namespace } = requestInfo;
  if (verb === 'get' || verb === 'list' || verb === 'watch') return true;
  if (apiGroup === 'internal.apiserver.k8s.io' && resource === 'storageversions') return true;
  if (apiGroup === 'coordination.k8s.io' && resource === 'leases' && namespace === 'kube-system') return true;
  const createsNamespace = apiGroup === '' && resource === 'namespaces' && verb === 'create';
  const isServer = user?.name === wellKnownUsers.apiServer && user.groups.includes(wellKnownGroups.privileged);
  return createsNamespace && isServer;
}

interface StoredDefinition {
  readonly definition: AnyResourceDefinition;
  /** Served ones. */
  readonly versions: string[];
}

/** The stored resources of a view: those that can be watched. */
function storedResources(view: InstalledView): readonly StoredResource[] {
  const found = new Map<string, StoredDefinition>();
  for (const { versions, resources } of view.installed()) {
    for (const { definition, storage } of resources) {
      if (storage.watch === undefined) continue;
      const key = formatGroupResource(definition);
      const entry = found.get(key) ?? { definition, versions: [] };
      found.set(key, entry);
      const served = versions.filter((version) => definition.versions.some((one) => one.version === version));
      entry.versions.push(...served.filter((version) => !entry.versions.includes(version)));
    }
  }
  const all = [...found.values()];
  return all.map((entry) => storedResource(entry, all));
}

function storedResource({ definition, versions }: StoredDefinition, all: readonly StoredDefinition[]): StoredResource {
  const { group, resource, storedAs: stored = definition } = definition;
  const equivalents = all.filter(
    (other) => other.definition !== definition && sharesObjects(other.definition, definition),
  );
  const foreign = equivalents.flatMap((other) =>
    other.versions.map((one) => groupVersion(other.definition.group, one)),
  );
  return {
    group,
    resource,
    encodingVersion: groupVersion(stored.group, stored.convertedFrom ?? stored.storageVersion),
    servedVersions: versions.map((version) => groupVersion(group, version)),
    equivalents: equivalents.map((other) => ({ group: other.definition.group, resource: other.definition.resource })),
    decodableVersions: async () => [...(await versionsOfKind(definition)), ...foreign],
  };
}

function sharesObjects(a: AnyResourceDefinition, b: AnyResourceDefinition): boolean {
  return (a.storedAs ?? a).keyPrefix === (b.storedAs ?? b).keyPrefix;
}

/** All versions that have the kind. Upstream: Scheme.VersionsForGroupKind in k8s.io/apimachinery */
async function versionsOfKind({ group, kind }: AnyResourceDefinition): Promise<readonly string[]> {
  const entries = groupVersions.filter((entry) => entry.group === group);
  const schemas = await Promise.all(entries.map((entry) => entry.load()));
  const versions = schemas.filter((schema) => schema.kinds().some((one) => one.gvk.kind === kind));
  return inOrder(
    group,
    versions.map(({ version }) => version),
  ).map((version) => groupVersion(group, version));
}

/** In order of preference: served ones first. */
function inOrder(group: string, versions: readonly string[]): readonly string[] {
  const preferred: readonly string[] = builtinGroupVersions.find((one) => one.group === group)?.versions ?? [];
  const rank = (version: string) => (preferred.includes(version) ? preferred.indexOf(version) : preferred.length);
  return versions.toSorted((a, b) => rank(a) - rank(b) || compareKubeAwareVersions(a, b));
}

function groupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
