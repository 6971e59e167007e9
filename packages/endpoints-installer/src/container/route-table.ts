import { formatGroupVersion, type GroupVersion } from '@apiserver/apimachinery';
import type { RequestInfo } from '@apiserver/apiserver-contracts';
import type { Endpoint } from './endpoint.js';
import type { ResourceEndpoints } from './endpoints-of.js';

/** All endpoints of a container. A request needs four look-ups, regardless of their number. */
export class RouteTable {
  readonly #groups = new Map<string, Map<string, Map<string, ResourceEndpoints>>>();

  /** Throws if the resource is already served in that version. */
  add(endpoints: ResourceEndpoints): void {
    const { group, version, resource } = endpoints;
    const versions = getOrAdd(this.#groups, group, () => new Map<string, Map<string, ResourceEndpoints>>());
    const resources = getOrAdd(versions, version, () => new Map<string, ResourceEndpoints>());
    if (resources.has(resource)) {
      throw new TypeError(`${resource} is already installed in ${formatGroupVersion(endpoints)}`);
    }
    resources.set(resource, endpoints);
  }

  /** Removes a resource in one version, and levels that become empty. */
  remove({ group, version, resource }: ResourceEndpoints): void {
    const versions = this.#groups.get(group);
    const resources = versions?.get(version);
    resources?.delete(resource);
    if (resources?.size === 0) versions?.delete(version);
    if (versions?.size === 0) this.#groups.delete(group);
  }

  find({ apiGroup, apiVersion, resource, subresource }: RequestInfo): Endpoint | undefined {
    return this.#groups.get(apiGroup)?.get(apiVersion)?.get(resource)?.find(subresource);
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  hasVersion({ group, version }: GroupVersion): boolean {
    return this.#groups.get(group)?.has(version) ?? false;
  }

  /** In order of installation. */
  groupVersions(): readonly GroupVersion[] {
    return [...this.#groups].flatMap(([group, versions]) =>
      [...versions.keys()].map((version) => ({ group, version })),
    );
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
