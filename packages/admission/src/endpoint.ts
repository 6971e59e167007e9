import type { GroupResource } from '@apiserver/apimachinery';
import type { AdmissionEndpoint, AdmissionOperation } from '@apiserver/apiserver-contracts';

export const PODS: GroupResource = { group: '', resource: 'pods' };

/** Reports whether an endpoint serves the objects of a resource, not a subresource. */
export function isMainEndpoint({ resource, subresource }: AdmissionEndpoint, wanted: GroupResource): boolean {
  return subresource === '' && isResource(resource, wanted);
}

/** Reports whether two resources are the same, ignoring the version. */
export function isResource(resource: GroupResource, wanted: GroupResource): boolean {
  return resource.resource === wanted.resource && resource.group === wanted.group;
}

/** Makes `handles` for a plugin that handles the objects of one resource. */
export function handlesMain(wanted: GroupResource, ...operations: readonly AdmissionOperation[]) {
  return (operation: AdmissionOperation, endpoint: AdmissionEndpoint): boolean =>
    operations.includes(operation) && isMainEndpoint(endpoint, wanted);
}
