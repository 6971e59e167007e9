import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isQualifiedName } from '@apiserver/apimachinery/validation';
import { validateQualifiedName } from './dns-fields.js';

const COMPUTE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];
/** Kinds that are counted. */
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
/** Of quotas: what is counted, and compute and storage as requested and as limited. */
const STANDARD_QUOTA: ReadonlySet<string> = new Set([
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
  'requests.storage',
  ...COUNTED,
]);

/** Pages of one size, as containers name them. */
export function isHugePageResource(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Pages of one size, as quotas name them. */
export function isQuotaHugePageResource(name: string): boolean {
  return isHugePageResource(name) || name.startsWith('requests.hugepages-');
}

/** Of no domain, or of one of Kubernetes. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Of somebody else's domain, such as `example.com/gpu`. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return isQualifiedName(`requests.${name}`).length === 0;
}

/** What comes in whole pieces. Upstream: IsIntegerResourceName of pkg/apis/core/helper/helpers.go */
export function isIntegerResource(name: string): boolean {
  return COUNTED.has(name) || isExtendedResource(name);
}

/** Whether requests may stay below limits. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}

/** Upstream: IsStandardQuotaResourceName of pkg/apis/core/helper/helpers.go */
export function isStandardQuotaResource(name: string): boolean {
  return STANDARD_QUOTA.has(name) || isQuotaHugePageResource(name);
}

/**
 * The name of a resource: qualified, or one that is known.
 * Upstream: validateResourceName of pkg/apis/core/validation/validation.go
 */
export function validateResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name, path);
  if (errors.length > 0 || name.includes('/') || name === 'storage' || isStandardQuotaResource(name)) return errors;
  return [fieldInvalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** The name of a resource that a container uses. Upstream: validateContainerResourceName */
export function validateContainerResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/')) {
    if (COMPUTE.includes(name) || isHugePageResource(name)) return errors;
    return [...errors, fieldInvalid(path, name, 'must be a standard resource for containers')];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, fieldInvalid(path, name, "doesn't follow extended resource name standard")];
}

/** The name of a resource in a quota. Upstream: ValidateResourceQuotaResourceName */
export function validateQuotaResourceName(name: string, path: FieldPath): FieldError[] {
  const errors = validateResourceName(name, path);
  if (name.includes('/') || isStandardQuotaResource(name)) return errors;
  return [...errors, fieldInvalid(path, name, 'must be a standard resource for quota')];
}
