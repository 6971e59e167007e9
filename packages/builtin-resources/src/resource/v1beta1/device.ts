import type { Device, ResourceSliceSpec } from '@apiserver/api/resource/v1';
import type * as v1beta1 from '@apiserver/api/resource/v1beta1';

/**
 * A device of v1beta1 has its fields in `basic`. An empty node name and a false `allNodes` are absent.
 * Upstream: k8s.io/dynamic-resource-allocation/api/v1beta1/conversion.go
 */
export function sliceSpecFromBeta({
  nodeName,
  allNodes,
  devices,
  ...spec
}: v1beta1.ResourceSliceSpec): ResourceSliceSpec {
  return {
    ...spec,
    ...(nodeName && { nodeName }),
    ...(allNodes && { allNodes }),
    ...(devices !== undefined && { devices: devices.map(deviceFromBeta) }),
  };
}

/** The reverse of `sliceSpecFromBeta`. */
export function sliceSpecToBeta({
  nodeName,
  allNodes,
  devices,
  ...spec
}: ResourceSliceSpec): v1beta1.ResourceSliceSpec {
  return {
    ...spec,
    ...(nodeName && { nodeName }),
    ...(allNodes && { allNodes }),
    ...(devices !== undefined && { devices: devices.map(({ name, ...basic }) => ({ name, basic })) }),
  };
}

function deviceFromBeta({ name, basic }: v1beta1.Device): Device {
  return { name, ...basic };
}
