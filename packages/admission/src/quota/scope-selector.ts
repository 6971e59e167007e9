import type { ScopedResourceSelectorRequirement } from '@apiserver/api/core/v1';

/**
 * Reports whether a quota selects one of the values that an object has for a scope. An object may have none.
 * Upstream: ScopedResourceSelectorRequirementsAsSelector of pkg/apis/core/v1/helper/helpers.go
 */
export function scopeMatches(
  { operator, values }: ScopedResourceSelectorRequirement,
  present: readonly string[],
): boolean {
  const wanted = values ?? [];
  switch (operator) {
    case 'Exists':
      return present.length > 0;
    case 'DoesNotExist':
      return present.length === 0;
    case 'In':
      return present.some((value) => wanted.includes(value));
    case 'NotIn':
      return present.length === 0 || present.some((value) => !wanted.includes(value));
    default:
      return false;
  }
}
