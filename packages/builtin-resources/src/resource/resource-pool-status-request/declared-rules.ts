import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { byteLength, dns1123SubdomainFaults, isDNS1123SubdomainCaseless } from '@apiserver/apimachinery/validation';

const MAX_POOL_NAME_BYTES = 253;

/** A required name of a driver. Upstream: LongNameCaseless of k8s.io/apimachinery/pkg/api/validate/strfmt.go */
export function validateDriver(name: string | undefined, path: FieldPath): FieldError[] {
  if (!name) return [fieldRequired(path, '')];
  return isDNS1123SubdomainCaseless(name).map((fault) => fieldInvalid(path, name, fault));
}

/** Names of one or more segments. Upstream: ResourcePoolName of k8s.io/apimachinery/pkg/api/validate/strfmt.go */
export function validatePool(name: string, path: FieldPath): FieldError[] {
  const tooLong = byteLength(name) > MAX_POOL_NAME_BYTES ? [fieldTooLong(path, MAX_POOL_NAME_BYTES)] : [];
  const faults = name.split('/').flatMap((segment, i) => {
    if (segment === '') return [fieldInvalid(path, name, `segment ${i}: must not be empty`)];
    return dns1123SubdomainFaults(segment, 'bytes').map((fault) =>
      fieldInvalid(path, segment, `segment ${i}: ${fault}`),
    );
  });
  return [...tooLong, ...faults];
}

/** Upstream: Minimum of k8s.io/apimachinery/pkg/api/validate/limits.go */
export function validateMinimum(value: number | bigint | undefined, least: number, path: FieldPath): FieldError[] {
  if (value === undefined || value >= least) return [];
  return [fieldInvalid(path, value, `must be greater than or equal to ${least}`)];
}

/** Upstream: Maximum of k8s.io/apimachinery/pkg/api/validate/limits.go */
export function validateMaximum(value: number | undefined, most: number, path: FieldPath): FieldError[] {
  if (value === undefined || value <= most) return [];
  return [fieldInvalid(path, value, `must be less than or equal to ${most}`)];
}
