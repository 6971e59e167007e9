import {
  type AllocatedDeviceStatus,
  AllocationResult,
  type NetworkDeviceData,
  type ResourceClaim,
  type ResourceClaimConsumerReference,
  type ResourceClaimStatus,
} from '@apiserver/api/resource/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldTooLong,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { byteLength, validateConditions } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateDNS1123Label } from '../../core/validation/dns-fields.js';
import { validateInterfaceAddress } from '../../core/validation/ip-fields.js';
import { validateRequired } from '../../core/validation/required-field.js';
import { validateImmutableValue } from '../../validation/immutable-value.js';
import { validateSet } from '../validation/bounded-collections.js';
import { validateObjectValue } from '../validation/device-configuration.js';
import { deviceKey, printedDevice } from '../validation/device-key.js';
import { validateDriverName, validatePoolName, validateShareID } from '../validation/device-names.js';
import { validateAllocationResult } from './allocation-validation.js';
import { allocatedDeviceKeys } from './deallocated-devices.js';

const STATUS = FieldPath.of('status');
const MAX_CONSUMERS = 256;
const MAX_CONDITIONS = 8;
const MAX_DATA_BYTES = 10 * 1024;
const MAX_INTERFACE_NAME_BYTES = 256;
const MAX_HARDWARE_ADDRESS_BYTES = 128;
const MAX_IPS = 16;

/** Upstream: ValidateResourceClaimStatusUpdate of pkg/apis/resource/validation/validation.go */
export function validateResourceClaimStatusUpdate(claim: ResourceClaim, old: ResourceClaim): readonly FieldError[] {
  const { metadata, status } = claim;
  const consumers = { max: MAX_CONSUMERS, validate: validateConsumer, keyOf: consumerUid };
  const allocated = allocatedDeviceKeys(status.allocation);
  const devices = {
    validate: (device: AllocatedDeviceStatus, path: FieldPath) => validateDeviceStatus(device, allocated, path),
    keyOf: deviceKey,
    printed: printedDevice,
  };
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateSet(status.reservedFor ?? [], consumers, STATUS.child('reservedFor')),
    ...validateSet(status.devices ?? [], devices, STATUS.child('devices')),
    ...validateReservations(claim, old.status),
    ...validateAllocation(claim, old.status),
  ];
}

function consumerUid({ uid }: ResourceClaimConsumerReference): string {
  return uid;
}

function validateConsumer({ resource, name, uid }: ResourceClaimConsumerReference, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(resource, path.child('resource')),
    ...validateRequired(name, path.child('name')),
    ...validateRequired(uid, path.child('uid')),
  ];
}

/** The same for equal consumers. */
function consumerText({ apiGroup, resource, name, uid }: ResourceClaimConsumerReference): string {
  return JSON.stringify([apiGroup, resource, name, uid]);
}

/** Only an allocated claim can be reserved, and no claim under deletion. */
function validateReservations({ metadata, status }: ResourceClaim, old: ResourceClaimStatus): FieldError[] {
  const { reservedFor = [], allocation } = status;
  const path = STATUS.child('reservedFor');
  if (reservedFor.length === 0) return [];
  if (allocation === undefined) return [fieldForbidden(path, 'may not be specified when `allocated` is not set')];
  if (!metadata.deletionTimestamp) return [];
  const before = new Set((old.reservedFor ?? []).map(consumerText));
  if (reservedFor.every((consumer) => before.has(consumerText(consumer)))) return [];
  const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return [fieldForbidden(path, detail)];
}

/** An allocation is immutable; only a new one is validated. */
function validateAllocation({ spec, status }: ResourceClaim, old: ResourceClaimStatus): FieldError[] {
  const path = STATUS.child('allocation');
  if (status.allocation === undefined) return [];
  if (old.allocation !== undefined) {
    return validateImmutableValue(AllocationResult, status.allocation, old.allocation, path);
  }
  return validateAllocationResult(status.allocation, spec.devices, path);
}

/** Upstream: validateDeviceStatus */
function validateDeviceStatus(
  device: AllocatedDeviceStatus,
  allocated: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const { driver, pool, device: name, shareID, conditions, data, networkData } = device;
  const conditionsPath = path.child('conditions');
  const count = conditions?.length ?? 0;
  return [
    ...validateDriverName(driver, path.child('driver')),
    ...validatePoolName(pool, path.child('pool')),
    ...validateDNS1123Label(name, path.child('device')),
    ...(shareID === undefined ? [] : validateShareID(shareID, path.child('shareID'))),
    ...(allocated.has(deviceKey(device))
      ? []
      : [fieldInvalid(path, printedDevice(device), 'must be an allocated device in the claim')]),
    ...(count > MAX_CONDITIONS ? [fieldTooMany(conditionsPath, count, MAX_CONDITIONS)] : []),
    ...validateConditions(conditions ?? [], conditionsPath),
    ...(data === undefined || data === null ? [] : validateObjectValue(data, MAX_DATA_BYTES, path.child('data'))),
    ...(networkData === undefined ? [] : validateNetworkData(networkData, path.child('networkData'))),
  ];
}

function validateNetworkData(
  { interfaceName = '', hardwareAddress = '', ips = [] }: NetworkDeviceData,
  path: FieldPath,
): FieldError[] {
  const rules = { max: MAX_IPS, validate: validateInterfaceAddress, keyOf: (ip: string) => ip };
  return [
    ...validateLength(interfaceName, MAX_INTERFACE_NAME_BYTES, path.child('interfaceName')),
    ...validateLength(hardwareAddress, MAX_HARDWARE_ADDRESS_BYTES, path.child('hardwareAddress')),
    ...validateSet(ips, rules, path.child('ips')),
  ];
}

function validateLength(text: string, maxBytes: number, path: FieldPath): FieldError[] {
  return byteLength(text) > maxBytes ? [fieldTooLong(path, maxBytes)] : [];
}
