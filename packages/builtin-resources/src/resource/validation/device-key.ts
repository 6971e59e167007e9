import type { AllocatedDeviceStatus } from '@apiserver/api/resource/v1';

/** A device, with its share if it allows multiple allocations. */
export type DeviceReference = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/**
 * The format of messages: `driver/pool/device`, and the share. Names of pools contain slashes too: see {@link
 * deviceKey}.
 */
export function deviceText({ driver, pool, device, shareID }: DeviceReference): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');
}

/** A unique key of a device and its share. */
export function deviceKey({ driver, pool, device, shareID }: DeviceReference): string {
  return JSON.stringify([driver, pool, device, shareID]);
}
