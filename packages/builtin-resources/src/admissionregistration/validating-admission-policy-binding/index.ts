import { ValidatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { applyBindingDefaults } from '../defaults/policy-defaults.js';
import { withStaticNames } from '../strategy/static-names.js';
import { validatingAdmissionPolicyBindingColumns } from './columns.js';
import { validatingAdmissionPolicyBindingStrategy } from './strategy.js';

/** ValidatingAdmissionPolicyBindings: put a policy into effect, with parameters. */
export const validatingAdmissionPolicyBindingDeclaration = defineResource<ValidatingAdmissionPolicyBinding>({
  categories: ['api-extensions'],
  versions: [{ schema: ValidatingAdmissionPolicyBinding, applyDefaults: applyBindingDefaults }],
  strategy: validatingAdmissionPolicyBindingStrategy,
  columns: validatingAdmissionPolicyBindingColumns,
});

/** The kind for one server, which may reserve names for files. */
export function validatingAdmissionPolicyBindings(
  features: FeatureGates,
): ResourceDefinition<ValidatingAdmissionPolicyBinding> {
  const declaration = validatingAdmissionPolicyBindingDeclaration;
  return { ...declaration, strategy: withStaticNames(declaration.strategy, features) };
}
