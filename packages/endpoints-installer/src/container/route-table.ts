import { formatGroupVersion, type GroupVersion } from '@apiserver/apimachinery';
import type { RequestInfo } from '@apiserver/apiserver-contracts';
import type { Endpoint } from './endpoint.js';

/** Endpoints by resource and then by subresource; "" is the resource itself. */
type ResourceEndpoints = Map<string, Map<string, Endpoint>>;

/** All endpoints of a container. A request needs four look-ups, regardless of their number. */
export class RouteTable {
  readonly #groups = new Map<string, Map<string, ResourceEndpoints>>();

  /** Throws if the resource or subresource is already served in that version. */
  add(endpoint: Endpoint): void {
    const { resource: gvr, subresource } = endpoint.scope;
    const versions = getOrAdd(this.#groups, gvr.group, () => new Map<string, ResourceEndpoints>());
    const resources = getOrAdd(versions, gvr.version, (): ResourceEndpoints => new Map());
    const subresources = getOrAdd(resources, gvr.resource, () => new Map<string, Endpoint>());
    if (subresources.has(subresource)) {
      const name = subresource === '' ? gvr.resource : `${gvr.resource}/${subresource}`;
      throw new TypeError(`${name} is already installed in ${formatGroupVersion(gvr)}`);
    }
    subresources.set(subresource, endpoint);
  }

  /** Removes an endpoint, and levels that become empty. */
  remove({ scope: { resource: gvr, subresource } }: Endpoint): void {
    const versions = this.#groups.get(gvr.group);
    const resources = versions?.get(gvr.version);
    const subresources = resources?.get(gvr.resource);
    subresources?.delete(subresource);
    if (subresources?.size === 0) resources?.delete(gvr.resource);
    if (resources?.size === 0) versions?.delete(gvr.version);
    if (versions?.size === 0) this.#groups.delete(gvr.group);
  }

  find({ apiGroup, apiVersion, resource, subresource }: RequestInfo): Endpoint | undefined {
    return this.#groups.get(apiGroup)?.get(apiVersion)?.get(resource)?.get(subresource);
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
