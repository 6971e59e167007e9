import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { APIGroupInfo, InstalledResource, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { type BuiltinGroupName, builtinGroupVersions } from './builtin-group-versions.js';

/**
 * Installs a kind's Stores on one server.
 * Upstream: RESTOptionsGetter, which the RESTStorageProviders of pkg/registry are given
 */
export type InstallResource = <T extends KubeObject>(definition: ResourceDefinition<T>) => InstalledResource;

/** The time in milliseconds since the epoch. */
export type WallClock = Pick<Clock, 'now'>;

/** Dependencies of every group on its server. */
export interface GroupDependencies {
  readonly install: InstallResource;
  /** For the times that the server writes into objects. */
  readonly clock: WallClock;
}

/** The group of that name with these resources, in listing order. */
export function builtinGroup(name: BuiltinGroupName, resources: readonly InstalledResource[]): APIGroupInfo {
  const known = builtinGroupVersions.find(({ group }) => group === name);
  return { group: name, versions: known?.versions ?? [], resources };
}
