import type { AllocationResult, ResourceClaimStatus } from '@apiserver/api/resource/v1';
import { deviceKey } from '../validation/device-key.js';

/** The devices of an allocation, by their keys. */
export function allocatedDeviceKeys(allocation: AllocationResult | undefined): Set<string> {
  return new Set((allocation?.devices.results ?? []).map(deviceKey));
}

/**
 * Drops the status of deallocated devices, so that the deallocating client need not do it. Mutates `status`.
 * Upstream: dropDeallocatedStatusDevices of pkg/registry/resource/resourceclaim/strategy.go
 */
export function dropDeallocatedDevices(status: ResourceClaimStatus, old: ResourceClaimStatus): void {
  const gone = allocatedDeviceKeys(old.allocation).difference(allocatedDeviceKeys(status.allocation));
  const kept = (status.devices ?? []).filter((device) => !gone.has(deviceKey(device)));
  if (kept.length > 0) status.devices = kept;
  else delete status.devices;
}
