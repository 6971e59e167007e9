import { MutatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyAlpha } from '@apiserver/api/admissionregistration/v1alpha1';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyBeta } from '@apiserver/api/admissionregistration/v1beta1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { applyPolicyDefaults } from '../defaults/policy-defaults.js';
import { sameFields } from '../strategy/same-fields.js';
import { withStaticNames } from '../strategy/static-names.js';
import { mutatingAdmissionPolicyColumns } from './columns.js';
import { mutatingAdmissionPolicyStrategy } from './strategy.js';

/** MutatingAdmissionPolicies: expressions that change objects. */
export const mutatingAdmissionPolicyDeclaration = defineResource<MutatingAdmissionPolicy>({
  categories: ['api-extensions'],
  versions: [
    { schema: MutatingAdmissionPolicy, applyDefaults: applyPolicyDefaults },
    { schema: MutatingAdmissionPolicyBeta, applyDefaults: applyPolicyDefaults, ...sameFields('v1beta1') },
    { schema: MutatingAdmissionPolicyAlpha, applyDefaults: applyPolicyDefaults, ...sameFields('v1alpha1') },
  ],
  strategy: mutatingAdmissionPolicyStrategy,
  columns: mutatingAdmissionPolicyColumns,
});

/** The kind for one server, which may reserve names for files. */
export function mutatingAdmissionPolicies(features: FeatureGates): ResourceDefinition<MutatingAdmissionPolicy> {
  const declaration = mutatingAdmissionPolicyDeclaration;
  return { ...declaration, strategy: withStaticNames(declaration.strategy, features) };
}
