import type { DeviceRequest, ResourceClaim } from '@apiserver/api/resource/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Amounts } from '@apiserver/apimachinery/values';
import { Quantity } from '@apiserver/apimachinery/values';
import { oneOf } from './amounts.js';
import type { QuotaEvaluator } from './quota-evaluator.js';

const COUNT = 'count/resourceclaims.resource.k8s.io';
/** `gpu.deviceclass.resource.k8s.io/devices` counts devices of the class gpu. */
const CLASS_SUFFIX = '.deviceclass.resource.k8s.io/devices';
/** The most devices that a claim can be allocated; a request for all devices counts as this many. */
const MAX_DEVICES = 32;

/**
 * Counts claims, and the devices of each class that they may be allocated.
 * Upstream: pkg/quota/v1/evaluator/core/resource_claims.go
 */
export const deviceClaimEvaluator: QuotaEvaluator = {
  handles: ({ operation }) => operation === 'CREATE' || operation === 'UPDATE',
  counts: (name) => name === COUNT || name.endsWith(CLASS_SUFFIX),
  usage,
  matchesScope: () => false,
  constraintFault: () => undefined,
};

function usage(object: KubeObject): Amounts {
  const { spec } = object as ResourceClaim;
  const result = oneOf(COUNT);
  for (const request of spec.devices.requests ?? []) {
    for (const [deviceClass, count] of devicesByClass(request)) {
      const name = `${deviceClass}${CLASS_SUFFIX}`;
      const amount = Quantity.of(count);
      result.set(name, result.get(name)?.add(amount) ?? amount);
    }
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
