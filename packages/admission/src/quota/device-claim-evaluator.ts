import type { DeviceRequest, ResourceClaim } from '@apiserver/api/resource/v1';
import { type Amounts, addAmounts, Quantity } from '@apiserver/apimachinery/values';
import { nonZero, oneOf, surplus } from './amounts.js';
import type { ExtendedDevices } from './extended-devices.js';
import { isExtendedRequest, REQUESTS } from './extended-request.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

const COUNT = 'count/resourceclaims.resource.k8s.io';
/** `gpu.deviceclass.resource.k8s.io/devices` counts devices of the class gpu. */
const CLASS_SUFFIX = '.deviceclass.resource.k8s.io/devices';
/** The most devices that a claim can be allocated; a request for all devices counts as this many. */
const MAX_DEVICES = 32;

/**
 * Counts claims, and the devices of each class that they may be allocated. Devices also count as extended resources, except for
 * those with which the pod of the claim is charged.
 * Upstream: pkg/quota/v1/evaluator/core/resource_claims.go
 */
export function deviceClaimEvaluator(extended?: ExtendedDevices): QuotaEvaluator {
  return {
    handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
    counts: (name) => {
      if (name === COUNT || name.endsWith(CLASS_SUFFIX)) return true;
      return isExtendedRequest(name) && (extended?.isOfClass(name.slice(REQUESTS.length)) ?? false);
    },
    usage(object) {
      const claim = object as ResourceClaim;
      const devices = devicesOf(claim);
      const result = oneOf(COUNT);
      for (const [deviceClass, amount] of devices) result.set(`${deviceClass}${CLASS_SUFFIX}`, amount);
      if (extended !== undefined) addAmounts(result, extendedUsage(claim, devices, extended));
      return result;
    },
    matchesScope: () => false,
    constraintFault: () => undefined,
  };
}

/** Upstream: addExtendedResourceQuota */
function extendedUsage(claim: ResourceClaim, devices: Amounts, extended: ExtendedDevices): Amounts {
  const usage: Amounts = new Map();
  for (const [deviceClass, amount] of devices) {
    for (const resource of extended.resourcesOf(deviceClass)) usage.set(`${REQUESTS}${resource}`, amount);
  }
  return nonZero(surplus(usage, extended.podUsage(claim)));
}

/** Devices by class. */
function devicesOf({ spec }: ResourceClaim): Amounts {
  const result: Amounts = new Map();
  for (const request of spec.devices.requests ?? []) {
    const counts = [...devicesByClass(request)];
    addAmounts(
      result,
      counts.map(([deviceClass, count]) => [deviceClass, Quantity.of(count)] as const),
    );
  }
  return result;
}

/** Any of several subrequests may be allocated: each class counts, with the largest count requested of it. */
function devicesByClass({ exactly, firstAvailable = [] }: DeviceRequest): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { deviceClassName, allocationMode, count = 0 } of exactly === undefined ? firstAvailable : [exactly]) {
    const wanted = allocationMode === 'All' ? MAX_DEVICES : Number(count);
    counts.set(deviceClassName, Math.max(wanted, counts.get(deviceClassName) ?? 0));
  }
  return counts;
}
