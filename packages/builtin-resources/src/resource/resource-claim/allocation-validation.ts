import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClaim,
  DeviceRequestAllocationResult,
} from '@apiserver/api/resource/v1';
import type { FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateNodeSelector } from '../../core/validation/node-selector.js';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import { validateBindingParameters } from '../validation/binding-conditions.js';
import { validateList } from '../validation/bounded-collections.js';
import { MAX_CONFIGURATIONS, validateDeviceConfiguration } from '../validation/device-configuration.js';
import { validateDriverName, validatePoolName, validateShareID } from '../validation/device-names.js';
import { validateDeviceToleration } from '../validation/device-taints.js';
import { RequestNames } from '../validation/request-names.js';

const MAX_RESULTS = 32;
const SOURCES = ['FromClaim', 'FromClass'];

/** Validates a new allocation. Upstream: validateAllocationResult of pkg/apis/resource/validation/validation.go */
export function validateAllocationResult(
  { devices, nodeSelector }: AllocationResult,
  claim: DeviceClaim,
  path: FieldPath,
): FieldError[] {
  const names = new RequestNames(claim);
  const results = {
    max: MAX_RESULTS,
    validate: (result: DeviceRequestAllocationResult, at: FieldPath) => validateResult(result, names, at),
  };
  // From the class and from the claim.
  const config = {
    max: 2 * MAX_CONFIGURATIONS,
    validate: (configuration: DeviceAllocationConfiguration, at: FieldPath) => [
      ...validateRequiredEnum(configuration.source, SOURCES, at.child('source')),
      ...names.validateReferences(configuration.requests, at.child('requests')),
      ...validateDeviceConfiguration(configuration, false, at),
    ],
  };
  return [
    ...validateList(devices.results ?? [], results, path.child('devices', 'results')),
    ...validateList(devices.config ?? [], config, path.child('devices', 'config')),
    ...(nodeSelector === undefined
      ? []
      : validateNodeSelector(nodeSelector, { allowInvalidLabelValue: false }, path.child('nodeSelector'))),
  ];
}

function validateResult(result: DeviceRequestAllocationResult, names: RequestNames, path: FieldPath): FieldError[] {
  const { request, driver, pool, device, tolerations = [], shareID } = result;
  return [
    ...names.validateReference(request, path.child('request')),
    ...validateDriverName(driver, path.child('driver')),
    ...validatePoolName(pool, path.child('pool')),
    ...validateDNS1123Label(device, path.child('device')),
    ...validateBindingParameters(result, path),
    ...tolerations.flatMap((toleration, i) => validateDeviceToleration(toleration, path.child('tolerations').index(i))),
    ...(shareID === undefined ? [] : validateShareID(shareID, path.child('shareID'))),
  ];
}
