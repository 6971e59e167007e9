import type { APIResource } from '@apiserver/api/meta/v1';
import type { InstalledResource } from '@apiserver/apiserver-contracts';
import { resourcePolicyOf } from '../semantics/policies.js';
import { isOwnKind, type ServedEndpoint, servedEndpoints } from './served-endpoint.js';
import type { ServedVersion } from './served-group.js';
import { storageVersionHash } from './storage-version-hash.js';

/**
 * The entries of a version's APIResourceList: resources by name, each followed by its subresources.
 *
 * Without `hasHashes` built-in resources have no hash of their storage version.
 *
 * Upstream: registerResourceHandlers in k8s.io/apiserver/pkg/endpoints/installer.go
 */
export function apiResources({ version, resources }: ServedVersion, hasHashes = true): APIResource[] {
  const endpoints = resources.flatMap((resource) => servedEndpoints(resource, version));
  return endpoints.map((endpoint) => apiResource(endpoint, hasHashes));
}

function apiResource(endpoint: ServedEndpoint, hasHashes: boolean): APIResource {
  const { installed, subresource, schema, verbs } = endpoint;
  const { definition } = installed;
  const { group, version, kind } = schema.gvk;
  const isMain = subresource === '';
  const named = { namespaced: definition.scope === 'Namespaced' };
  const shared = { kind, verbs: [...verbs] };
  if (!isMain) {
    const origin = isOwnKind(endpoint) ? {} : { group, version };
    return { name: `${definition.resource}/${subresource}`, singularName: '', ...named, ...origin, ...shared };
  }
  return {
    name: definition.resource,
    singularName: definition.singular,
    ...named,
    ...shared,
    ...(definition.shortNames.length > 0 && { shortNames: [...definition.shortNames] }),
    ...(definition.categories.length > 0 && { categories: [...definition.categories] }),
    ...(hasHash(installed, hasHashes) && { storageVersionHash: hashOf(installed) }),
  };
}

function hasHash(installed: InstalledResource, hasHashes: boolean): boolean {
  if (installed.definition.isStorageVersionUnserved === true) return false;
  return isStored(installed) && (hasHashes || keepsHash(installed));
}

/** A resource is stored if and only if it can be watched. */
function isStored({ storage }: InstalledResource): boolean {
  return storage.watch !== undefined;
}

function keepsHash({ definition }: InstalledResource): boolean {
  return resourcePolicyOf(definition).discovery.alwaysHasHash;
}

function hashOf({ definition }: InstalledResource): string {
  const { group, storageVersion, convertedFrom = storageVersion, kind } = definition.storedAs ?? definition;
  return storageVersionHash({ group, version: convertedFrom, kind });
}
