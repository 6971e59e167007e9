import {
  type PoolStatus,
  type ResourcePoolStatusRequest,
  ResourcePoolStatusRequestStatus,
} from '@apiserver/api/resource/v1alpha3';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import {
  byteLength,
  dns1123SubdomainFaults,
  validateConditions,
  validateImmutableField,
} from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { goForm } from '../../text/go-form.js';
import { validateDriver, validateMinimum, validatePool } from './declared-rules.js';

const STATUS = FieldPath.of('status');
const POOLS = STATUS.child('pools');
const CONDITIONS = STATUS.child('conditions');
const MAX_POOLS = 1000;
const MAX_CONDITIONS = 10;
const MAX_ERROR_BYTES = 256;
const COUNTS = ['totalDevices', 'allocatedDevices', 'availableDevices', 'unavailableDevices'] as const;

/**
 * The first status is the last one. The declared rules come after the others, and only for fields that changed.
 * Upstream: ValidateResourcePoolStatusRequestStatusUpdate of pkg/apis/resource/validation
 */
export function validateResourcePoolStatusRequestStatusUpdate(
  { metadata, status }: ResourcePoolStatusRequest,
  old: ResourcePoolStatusRequest,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...(old.status === undefined
      ? validateConditions(status?.conditions ?? [], CONDITIONS)
      : validateImmutableField(status, old.status, STATUS, shown(status))),
    ...(status === undefined ? [] : validateDeclared(status, old.status)),
  ];
}

function shown(status: ResourcePoolStatusRequestStatus | undefined): unknown {
  return status === undefined ? null : goForm(ResourcePoolStatusRequestStatus, status);
}

/** Upstream: the declared rules of ResourcePoolStatusRequestStatus in k8s.io/api/resource/v1alpha3/types.go */
function validateDeclared(
  { poolCount, pools = [], conditions = [] }: ResourcePoolStatusRequestStatus,
  old: ResourcePoolStatusRequestStatus | undefined,
): FieldError[] {
  return [
    ...(old !== undefined && old.poolCount === poolCount ? [] : validatePoolCount(poolCount)),
    ...(equalJson(pools, old?.pools ?? []) ? [] : validatePools(pools)),
    ...(equalJson(conditions, old?.conditions ?? []) ? [] : validateUniqueConditions(conditions)),
  ];
}

function validatePoolCount(count: number | undefined): FieldError[] {
  const path = STATUS.child('poolCount');
  return count === undefined ? [fieldRequired(path, '')] : validateMinimum(count, 0, path);
}

function validatePools(pools: readonly PoolStatus[]): FieldError[] {
  if (pools.length > MAX_POOLS) return [fieldTooMany(POOLS, pools.length, MAX_POOLS)];
  return pools.flatMap((pool, i) => validatePoolStatus(pool, POOLS.index(i)));
}

function validatePoolStatus(pool: PoolStatus, path: FieldPath): FieldError[] {
  const { driver, poolName, generation, resourceSliceCount, nodeName, validationError } = pool;
  const namePath = path.child('poolName');
  const generationPath = path.child('generation');
  return [
    ...validateDriver(driver, path.child('driver')),
    ...(poolName ? validatePool(poolName, namePath) : [fieldRequired(namePath, '')]),
    // A required number is not zero.
    ...(BigInt(generation) === 0n
      ? [fieldRequired(generationPath, '')]
      : validateMinimum(generation, 0, generationPath)),
    ...validateMinimum(resourceSliceCount, 1, path.child('resourceSliceCount')),
    ...COUNTS.flatMap((count) => validateMinimum(pool[count], 0, path.child(count))),
    ...(nodeName === undefined ? [] : validateNodeName(nodeName, path.child('nodeName'))),
    ...(byteLength(validationError ?? '') > MAX_ERROR_BYTES
      ? [fieldTooLong(path.child('validationError'), MAX_ERROR_BYTES)]
      : []),
  ];
}

function validateNodeName(name: string, path: FieldPath): FieldError[] {
  return dns1123SubdomainFaults(name, 'bytes').map((fault) => fieldInvalid(path, name, fault));
}

function validateUniqueConditions(
  conditions: NonNullable<ResourcePoolStatusRequestStatus['conditions']>,
): FieldError[] {
  if (conditions.length > MAX_CONDITIONS) return [fieldTooMany(CONDITIONS, conditions.length, MAX_CONDITIONS)];
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    if (seen.has(condition.type)) return [fieldDuplicate(CONDITIONS.index(i), condition)];
    seen.add(condition.type);
    return [];
  });
}
