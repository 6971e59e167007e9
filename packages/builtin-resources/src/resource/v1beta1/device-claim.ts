import type { DeviceClaim, DeviceRequest } from '@apiserver/api/resource/v1';
import type * as v1beta1 from '@apiserver/api/resource/v1beta1';

/**
 * A request of v1beta1 has the fields of `exactly` itself.
 * Upstream: k8s.io/dynamic-resource-allocation/api/v1beta1/conversion.go
 */
export function deviceClaimFromBeta(claim: v1beta1.DeviceClaim): DeviceClaim {
  const { requests, ...others } = claim;
  return { ...others, ...(requests !== undefined && { requests: requests?.map(requestFromBeta) ?? null }) };
}

/** The reverse of `deviceClaimFromBeta`. */
export function deviceClaimToBeta(claim: DeviceClaim): v1beta1.DeviceClaim {
  const { requests, ...others } = claim;
  return { ...others, ...(requests !== undefined && { requests: requests?.map(requestToBeta) ?? null }) };
}

function requestFromBeta({ name, firstAvailable, ...fields }: v1beta1.DeviceRequest): DeviceRequest {
  const { deviceClassName = '', allocationMode = '', count = 0, ...others } = fields;
  const isExact =
    deviceClassName !== '' ||
    allocationMode !== '' ||
    Number(count) !== 0 ||
    Object.values(others).some((value) => value !== undefined);
  return {
    name,
    ...(isExact && { exactly: { ...withoutEmptyLists(fields), deviceClassName } }),
    ...(firstAvailable !== undefined && { firstAvailable }),
  };
}

/** Empty lists tell that a request is exact, and no more. */
function withoutEmptyLists(fields: Omit<v1beta1.DeviceRequest, 'name'>): Omit<v1beta1.DeviceRequest, 'name'> {
  const { selectors = [], tolerations = [], ...others } = fields;
  return { ...others, ...(selectors.length > 0 && { selectors }), ...(tolerations.length > 0 && { tolerations }) };
}

function requestToBeta({ name, exactly, firstAvailable }: DeviceRequest): v1beta1.DeviceRequest {
  return {
    name,
    deviceClassName: '',
    ...exactly,
    ...(firstAvailable !== undefined && { firstAvailable }),
  };
}

/**
 * The default is one device per request; none for a request of alternatives. Mutates.
 * Upstream: SetDefaults_DeviceRequest, SetDefaults_DeviceSubRequest of pkg/apis/resource/v1beta1/defaults.go
 */
export function applyBetaDeviceClaimDefaults({ requests }: v1beta1.DeviceClaim): void {
  for (const request of requests ?? []) {
    const { firstAvailable = [] } = request;
    for (const each of firstAvailable.length > 0 ? firstAvailable : [request]) {
      each.allocationMode ||= 'ExactCount';
      if (each.allocationMode === 'ExactCount') each.count ||= 1;
    }
  }
}
