import type { MatchCondition, ParamKind } from '@apiserver/api/admissionregistration/v1';
import { equalJson } from '@apiserver/apimachinery/json';

/** The part of a policy that match conditions depend on. */
interface ConditionalSpec {
  readonly paramKind?: ParamKind;
  readonly matchConditions?: readonly MatchCondition[];
}

/**
 * Reports whether an update leaves the match conditions as they are stored; then they are not validated again.
 * Upstream: ignoreValidatingAdmissionPolicyMatchConditions of pkg/apis/admissionregistration/validation/validation.go
 */
export function hasStoredMatchConditions(spec: ConditionalSpec, stored: ConditionalSpec): boolean {
  return (
    equalJson(spec.paramKind ?? null, stored.paramKind ?? null) &&
    equalJson(spec.matchConditions ?? [], stored.matchConditions ?? [])
  );
}
