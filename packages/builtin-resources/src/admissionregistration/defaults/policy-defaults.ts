import type { MatchResources, ParamRef } from '@apiserver/api/admissionregistration/v1';
import { applyMatchDefaults } from './match-defaults.js';

/** The part of a policy of either kind that has defaults. */
interface DefaultedPolicy {
  readonly spec: { failurePolicy?: string; readonly matchConstraints?: MatchResources };
}

/** The part of a binding of either kind that has defaults. */
interface DefaultedBinding {
  readonly spec: { readonly matchResources?: MatchResources; readonly paramRef?: ParamRef };
}

/** Upstream: SetDefaults_ValidatingAdmissionPolicySpec of pkg/apis/admissionregistration/v1/defaults.go */
export function applyPolicyDefaults({ spec }: DefaultedPolicy): void {
  spec.failurePolicy ??= 'Fail';
  applyMatchDefaults(spec.matchConstraints);
}

/** The defaults of bindings. */
export function applyBindingDefaults({ spec }: DefaultedBinding): void {
  applyMatchDefaults(spec.matchResources);
}

/** The defaults of bindings in v1alpha1. Upstream: SetDefaults_ParamRef of pkg/apis/admissionregistration/v1alpha1 */
export function applyAlphaBindingDefaults(binding: DefaultedBinding): void {
  applyBindingDefaults(binding);
  const { paramRef } = binding.spec;
  if (paramRef !== undefined) paramRef.parameterNotFoundAction ??= 'Deny';
}
