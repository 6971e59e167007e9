import type { AllocatedDeviceStatus } from '@apiserver/api/resource/v1';

/** A device, with its share if it allows multiple allocations. */
export type DeviceReference = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** Formatted as upstream: the fields of SharedDeviceID of k8s.io/dynamic-resource-allocation. */
export function printedDevice({ driver, pool, device, shareID = '' }: DeviceReference): object {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

/** A unique key of a device and its share. An empty shareID means that the device has no share. */
export function deviceKey({ driver, pool, device, shareID = '' }: DeviceReference): string {
  return JSON.stringify([driver, pool, device, shareID]);
}
