import type { NodeAllocatableResourceClaimStatus, Pod } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isNativeResource } from '@apiserver/apimachinery/validation';
import { Quantity } from '@apiserver/apimachinery/values';

const CLAIMS = FieldPath.of('status', 'nodeAllocatableResourceClaimStatuses');
const NOT_EMPTY = 'must not be empty';

/**
 * Validates what a pod's claims take from the resources of its node.
 * Upstream: ValidatePodStatusUpdate of pkg/apis/core/validation/validation.go
 */
export function validateNodeResourceClaims({ spec, status }: Pod): FieldError[] {
  const { nodeAllocatableResourceClaimStatuses: claims = [], resourceClaimStatuses = [] } = status;
  if (claims.length === 0) return [];
  const known = new Set(
    [...(spec.resourceClaims ?? []), ...resourceClaimStatuses].map((claim) => claim.resourceClaimName),
  );
  return claims.flatMap((claim, i) => validateClaim(claim, known, CLAIMS.index(i)));
}

function validateClaim(
  { resourceClaimName: name, containers = [], resources }: NodeAllocatableResourceClaimStatus,
  known: ReadonlySet<string | undefined>,
  path: FieldPath,
): FieldError[] {
  const namePath = path.child('resourceClaimName');
  const amounts = Object.entries(resources ?? {});
  return [
    ...(name === '' ? [fieldRequired(namePath, NOT_EMPTY)] : []),
    ...(name === '' || known.has(name) ? [] : [fieldInvalid(namePath, name, 'no mapping found in pod reference')]),
    ...(containers.length === 0 ? [fieldRequired(path.child('containers'), NOT_EMPTY)] : []),
    ...(amounts.length === 0 ? [fieldRequired(path.child('resources'), NOT_EMPTY)] : []),
    ...amounts.flatMap(([resource, amount]) =>
      validateAmount(resource, Quantity.parse(amount), path.child('resources').key(resource)),
    ),
  ];
}

function validateAmount(resource: string, amount: Quantity, path: FieldPath): FieldError[] {
  return [
    ...(isNativeResource(resource) ? [] : [fieldInvalid(path, resource, 'must be a node allocatable resource name')]),
    ...(amount.sign < 0 ? [fieldInvalid(path, amount.toString(), 'must be non-negative')] : []),
  ];
}
