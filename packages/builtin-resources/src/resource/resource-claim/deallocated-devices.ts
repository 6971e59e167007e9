import type { AllocatedDeviceStatus, AllocationResult, ResourceClaimStatus } from '@apiserver/api/resource/v1';

/** A device, and which share of it where it is given to several. */
type DeviceReference = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** As messages show it: `driver/pool/device`, and the share behind it. Names of pools hold slashes too: see {@link deviceKey}. */
export function deviceText({ driver, pool, device, shareID }: DeviceReference): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');
}

/** Differs for different devices, and for different shares of one. */
export function deviceKey({ driver, pool, device, shareID }: DeviceReference): string {
  return JSON.stringify([driver, pool, device, shareID]);
}

/** The devices of an allocation, by their keys. */
export function allocatedDeviceKeys(allocation: AllocationResult | undefined): Set<string> {
  return new Set((allocation?.devices.results ?? []).map(deviceKey));
}

/**
 * What is told of devices goes when they are given back, so that who deallocates need not know of it. Mutates `status`.
 * Upstream: dropDeallocatedStatusDevices of pkg/registry/resource/resourceclaim/strategy.go
 */
export function dropDeallocatedDevices(status: ResourceClaimStatus, old: ResourceClaimStatus): void {
  const gone = allocatedDeviceKeys(old.allocation).difference(allocatedDeviceKeys(status.allocation));
  const kept = (status.devices ?? []).filter((device) => !gone.has(deviceKey(device)));
  if (kept.length > 0) status.devices = kept;
  else delete status.devices;
}
