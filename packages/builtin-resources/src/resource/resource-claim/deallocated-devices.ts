import type { AllocatedDeviceStatus, AllocationResult, ResourceClaimStatus } from '@apiserver/api/resource/v1';

/** A device, and which share of it where it is given to several. */
type DeviceReference = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** As upstream writes it: `driver/pool/device`, and the share behind it. */
export function deviceId({ driver, pool, device, shareID }: DeviceReference): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');
}

/** The devices of an allocation, by their ids. */
export function allocatedDeviceIds(allocation: AllocationResult | undefined): Set<string> {
  return new Set((allocation?.devices.results ?? []).map(deviceId));
}

/**
 * What is told of devices goes when they are given back, so that who deallocates need not know of it. Mutates `status`.
 * Upstream: dropDeallocatedStatusDevices of pkg/registry/resource/resourceclaim/strategy.go
 */
export function dropDeallocatedDevices(status: ResourceClaimStatus, old: ResourceClaimStatus): void {
  const gone = allocatedDeviceIds(old.allocation).difference(allocatedDeviceIds(status.allocation));
  const kept = (status.devices ?? []).filter((device) => !gone.has(deviceId(device)));
  if (kept.length > 0) status.devices = kept;
  else delete status.devices;
}
