import { isNativeResource } from '@apiserver/apimachinery/validation';
import { DEVICE_CLASS } from './extended-devices.js';

/** The prefix of amounts that pods request. */
export const REQUESTS = 'requests.';

/** Reports whether a quota resource is the requested amount of an extended resource. Upstream: isExtendedResourceNameForQuota */
export function isExtendedRequest(name: string): boolean {
  return name.startsWith(REQUESTS) && (!isNativeResource(name) || name.startsWith(`${REQUESTS}${DEVICE_CLASS}`));
}
