import type { AllocatedDeviceStatus } from '@apiserver/api/resource/v1';

/** A device, and which share of it where it is given to several. */
export type DeviceReference = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** As messages show it: `driver/pool/device`, and the share behind it. Names of pools hold slashes too: see {@link deviceKey}. */
export function deviceText({ driver, pool, device, shareID }: DeviceReference): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');
}

/** Differs for different devices, and for different shares of one. */
export function deviceKey({ driver, pool, device, shareID }: DeviceReference): string {
  return JSON.stringify([driver, pool, device, shareID]);
}
