import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
} from '@apiserver/api/resource/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validateDNS1123Label, validateDNS1123Subdomain } from '../../core/validation/dns-fields.js';
import { notSupported } from '../../validation/enum-field.js';
import { validateList, validateSet } from './bounded-collections.js';
import { MAX_CONFIGURATIONS, validateDeviceConfiguration, validateSelectors } from './device-configuration.js';
import { validateFullyQualifiedDeviceName } from './device-names.js';
import { validateDeviceToleration } from './device-taints.js';
import { MAX_REQUESTS, RequestNames } from './request-names.js';
import type { CheckExpression, SelectorList } from './selector-checks.js';

const MAX_CONSTRAINTS = 32;
const MAX_SUB_REQUESTS = 8;
const MODES = ['All', 'ExactCount'];

export interface DeviceClaimRules {
  readonly check: CheckExpression;
  /** Constraints may have `distinctAttribute`. Feature gate: DRAConsumableCapacity */
  readonly hasDistinctAttributes: boolean;
}

/** Validates a new claim. Upstream: validateDeviceClaim of pkg/apis/resource/validation/validation.go */
export function validateDeviceClaim(claim: DeviceClaim, rules: DeviceClaimRules, path: FieldPath): FieldError[] {
  const { check, hasDistinctAttributes } = rules;
  const names = new RequestNames(claim);
  const requests = {
    max: MAX_REQUESTS,
    validate: (request: DeviceRequest, at: FieldPath) => validateRequest(request, check, at),
    keyOf: ({ name }: DeviceRequest) => name,
  };
  const constraints = {
    max: MAX_CONSTRAINTS,
    validate: (constraint: DeviceConstraint, at: FieldPath) => [
      ...names.validateReferences(constraint.requests, at.child('requests')),
      ...validateConstraint(constraint, hasDistinctAttributes, at),
    ],
  };
  const config = {
    max: MAX_CONFIGURATIONS,
    validate: (configuration: DeviceClaimConfiguration, at: FieldPath) => [
      ...names.validateReferences(configuration.requests, at.child('requests')),
      ...validateDeviceConfiguration(configuration, false, at),
    ],
  };
  return [
    ...validateSet(claim.requests ?? [], requests, path.child('requests')),
    ...validateList(claim.constraints ?? [], constraints, path.child('constraints')),
    ...validateList(claim.config ?? [], config, path.child('config')),
  ];
}

/** The selectors that the validation of a claim reads: it refuses lists of requests that are too long. */
export function selectorsOf({ requests }: DeviceClaim): readonly SelectorList[] {
  if (requests === undefined || requests === null || requests.length > MAX_REQUESTS) return [];
  return requests.flatMap(({ exactly, firstAvailable = [] }) => {
    if (firstAvailable.length > MAX_SUB_REQUESTS) return [];
    return [exactly?.selectors, ...firstAvailable.map(({ selectors }) => selectors)];
  });
}

function validateRequest(
  { name, exactly, firstAvailable = [] }: DeviceRequest,
  check: CheckExpression,
  path: FieldPath,
): FieldError[] {
  const errors = validateDNS1123Label(name, path.child('name'));
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  if (firstAvailable.length === 0) {
    if (exactly === undefined) return [...errors, fieldRequired(path, oneOf)];
    return [...errors, ...validateExactRequest(exactly, check, path.child('exactly'))];
  }
  if (exactly !== undefined) return [...errors, fieldInvalid(path, null, `${oneOf}, but multiple fields are set`)];
  const rules = {
    max: MAX_SUB_REQUESTS,
    validate: (request: DeviceSubRequest, at: FieldPath) => [
      ...validateDNS1123Label(request.name, at.child('name')),
      ...validateExactRequest(request, check, at),
    ],
    keyOf: (request: DeviceSubRequest) => request.name,
  };
  return [...errors, ...validateSet(firstAvailable, rules, path.child('firstAvailable'))];
}

/** Upstream: validateExactDeviceRequest, validateDeviceSubRequest */
function validateExactRequest(
  request: ExactDeviceRequest | DeviceSubRequest,
  check: CheckExpression,
  path: FieldPath,
): FieldError[] {
  const { deviceClassName, selectors, tolerations = [] } = request;
  const classPath = path.child('deviceClassName');
  return [
    ...(deviceClassName === '' ? [fieldRequired(classPath, '')] : validateDNS1123Subdomain(deviceClassName, classPath)),
    ...validateSelectors(selectors, check, path.child('selectors')),
    ...validateAllocationMode(request, path),
    ...tolerations.flatMap((toleration, i) => validateDeviceToleration(toleration, path.child('tolerations').index(i))),
  ];
}

function validateAllocationMode(
  { allocationMode: mode = '', count = 0 }: ExactDeviceRequest | DeviceSubRequest,
  path: FieldPath,
): FieldError[] {
  const countPath = path.child('count');
  if (mode === 'ExactCount') return count > 0 ? [] : [fieldInvalid(countPath, count, 'must be greater than zero')];
  if (mode !== 'All') return [notSupported(path.child('allocationMode'), mode, MODES)];
  const isSet = BigInt(count) !== 0n;
  return isSet ? [fieldInvalid(countPath, count, "must not be specified when allocationMode is 'All'")] : [];
}

/** Without a type, the message is that of several types, as upstream. */
function validateConstraint(
  { matchAttribute, distinctAttribute }: DeviceConstraint,
  hasDistinctAttributes: boolean,
  path: FieldPath,
): FieldError[] {
  const matchPath = path.child('matchAttribute');
  if (matchAttribute !== undefined) return validateFullyQualifiedDeviceName(matchAttribute, matchPath);
  if (!hasDistinctAttributes) return [fieldRequired(matchPath, '')];
  if (distinctAttribute !== undefined) {
    return validateFullyQualifiedDeviceName(distinctAttribute, path.child('distinctAttribute'));
  }
  const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [fieldRequired(path, detail)];
}
