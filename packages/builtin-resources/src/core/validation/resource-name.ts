import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isExtendedResource, isNativeResource } from '@apiserver/apimachinery/validation';
import { validateQualifiedName } from './dns-fields.js';

const COMPUTE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
/** Kinds of objects that quotas count. */
const COUNTED: ReadonlySet<string> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
]);
/** Standard quota resources: counted kinds, and requests and limits of compute and storage. */
const STANDARD_QUOTA: ReadonlySet<string> = new Set([
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
  'requests.storage',
  ...COUNTED,
]);

/** Reports whether the resource is huge pages, as in containers. */
export function isHugePageResource(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Reports whether the resource is huge pages, as in quotas. */
function isQuotaHugePageResource(name: string): boolean {
  return isHugePageResource(name) || name.startsWith('requests.hugepages-');
}

/**
 * Reports whether amounts of the resource must be integers.
 * Upstream: IsIntegerResourceName of pkg/apis/core/helper/helpers.go
 */
export function isIntegerResource(name: string): boolean {
  return COUNTED.has(name) || isExtendedResource(name);
}

/** Reports whether requests may be less than limits. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}

/** Upstream: IsStandardQuotaResourceName of pkg/apis/core/helper/helpers.go */
export function isStandardQuotaResource(name: string): boolean {
  return STANDARD_QUOTA.has(name) || isQuotaHugePageResource(name);
}

/**
 * Validates a resource name: qualified, or a known one.
 * Upstream: validateResourceName of pkg/apis/core/validation/validation.go
 */
export function validateResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name, path);
  if (errors.length > 0 || name.includes('/') || name === 'storage' || isStandardQuotaResource(name)) return errors;
  return [fieldInvalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** Validates the name of a container's resource. Upstream: validateContainerResourceName */
export function validateContainerResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/')) {
    if (COMPUTE.includes(name) || isHugePageResource(name)) return errors;
    return [...errors, fieldInvalid(path, name, 'must be a standard resource for containers')];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, fieldInvalid(path, name, "doesn't follow extended resource name standard")];
}

/** Validates the name of a quota's resource. Upstream: ValidateResourceQuotaResourceName */
export function validateQuotaResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (name.includes('/') || isStandardQuotaResource(name)) return errors;
  return [...errors, fieldInvalid(path, name, 'must be a standard resource for quota')];
}
