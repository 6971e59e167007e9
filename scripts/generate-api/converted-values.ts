const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const DEVICE_ALLOCATION_MODES = ['All', 'ExactCount'];

/**
 * The values of enums whose constants are conversions (`PathTypeExact = PathType("Exact")`). The facts have only those
 * that are declared with their type.
 *
 * Upstream: k8s.io/api/{discovery,networking,resource}/…/types.go
 */
export const CONVERTED_VALUES: Readonly<Record<string, readonly string[]>> = {
  'k8s.io/api/discovery/v1.AddressType': ADDRESS_TYPES,
  'k8s.io/api/discovery/v1beta1.AddressType': ADDRESS_TYPES,
  'k8s.io/api/networking/v1.PathType': ['Exact', 'ImplementationSpecific', 'Prefix'],
  'k8s.io/api/resource/v1.DeviceAllocationMode': DEVICE_ALLOCATION_MODES,
  'k8s.io/api/resource/v1beta1.DeviceAllocationMode': DEVICE_ALLOCATION_MODES,
  'k8s.io/api/resource/v1beta2.DeviceAllocationMode': DEVICE_ALLOCATION_MODES,
};
