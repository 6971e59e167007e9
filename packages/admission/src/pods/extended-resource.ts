import { isQualifiedName } from '@apiserver/apimachinery/validation';

const REQUESTS_PREFIX = 'requests.';

/** Whether Kubernetes itself gives a resource its meaning. Upstream: IsNativeResource of pkg/apis/core/helper */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Whether a resource is one that a cluster brings beside the known ones. Upstream: IsExtendedResourceName */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(REQUESTS_PREFIX)) return false;
  return isQualifiedName(`${REQUESTS_PREFIX}${name}`).length === 0;
}
