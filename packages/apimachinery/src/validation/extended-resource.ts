import { isQualifiedName } from './label.js';

const REQUESTS_PREFIX = 'requests.';

/** Reports whether Kubernetes itself defines a resource. Upstream: IsNativeResource of pkg/apis/core/helper */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Reports whether a cluster defines a resource beside the native ones. Upstream: IsExtendedResourceName */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(REQUESTS_PREFIX)) return false;
  return isQualifiedName(`${REQUESTS_PREFIX}${name}`).length === 0;
}
