import type { DeviceClaim, DeviceSubRequest, ExactDeviceRequest } from '@apiserver/api/resource/v1';

/**
 * The default is one device per request. Mutates.
 * Upstream: SetDefaults_ExactDeviceRequest, SetDefaults_DeviceSubRequest of pkg/apis/resource/v1/defaults.go
 */
export function applyDeviceClaimDefaults({ requests }: DeviceClaim): void {
  for (const { exactly, firstAvailable = [] } of requests ?? []) {
    if (exactly !== undefined) applyCount(exactly);
    for (const request of firstAvailable) applyCount(request);
  }
}

function applyCount(request: ExactDeviceRequest | DeviceSubRequest): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
}
