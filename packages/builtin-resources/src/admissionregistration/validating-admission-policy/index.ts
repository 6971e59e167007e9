import { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { applyPolicyDefaults } from '../defaults/policy-defaults.js';
import { withStaticNames } from '../strategy/static-names.js';
import { validatingAdmissionPolicyColumns } from './columns.js';
import { validatingAdmissionPolicyStatusStrategy, validatingAdmissionPolicyStrategy } from './strategy.js';

/** ValidatingAdmissionPolicies: expressions that accept or refuse requests. */
export const validatingAdmissionPolicyDeclaration = defineResource<ValidatingAdmissionPolicy>({
  categories: ['api-extensions'],
  versions: [{ schema: ValidatingAdmissionPolicy, applyDefaults: applyPolicyDefaults }],
  strategy: validatingAdmissionPolicyStrategy,
  columns: validatingAdmissionPolicyColumns,
  subresources: { status: { strategy: validatingAdmissionPolicyStatusStrategy } },
});

/** The kind for one server, which may reserve names for files. */
export function validatingAdmissionPolicies(features: FeatureGates): ResourceDefinition<ValidatingAdmissionPolicy> {
  const declaration = validatingAdmissionPolicyDeclaration;
  return { ...declaration, strategy: withStaticNames(declaration.strategy, features) };
}
