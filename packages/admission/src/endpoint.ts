import type { GroupResource } from '@apiserver/apimachinery';
import type { AdmissionEndpoint, AdmissionOperation } from '@apiserver/apiserver-contracts';

export const PODS: GroupResource = { group: '', resource: 'pods' };

/** Whether an endpoint is that of the objects of a resource themselves, not of one of their subresources. */
export function isMainEndpoint({ resource, subresource }: AdmissionEndpoint, wanted: GroupResource): boolean {
  return subresource === '' && isResource(resource, wanted);
}

/** Whether two resources are the same in whichever version. */
export function isResource(resource: GroupResource, wanted: GroupResource): boolean {
  return resource.resource === wanted.resource && resource.group === wanted.group;
}

/** For `handles` of a plugin that looks at the objects of one resource. */
export function handlesMain(wanted: GroupResource, ...operations: readonly AdmissionOperation[]) {
  return (operation: AdmissionOperation, endpoint: AdmissionEndpoint): boolean =>
    operations.includes(operation) && isMainEndpoint(endpoint, wanted);
}
