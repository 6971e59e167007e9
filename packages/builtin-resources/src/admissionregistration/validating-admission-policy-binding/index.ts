import { ValidatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { withParamRefAccess } from '../access/param-access.js';
import { applyBindingDefaults } from '../defaults/policy-defaults.js';
import type { AdmissionRegistrationDependencies } from '../dependencies.js';
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

/** The kind for one server, which may reserve names for files. Authors must be allowed to read the parameters. */
export function validatingAdmissionPolicyBindings(
  dependencies: AdmissionRegistrationDependencies,
): ResourceDefinition<ValidatingAdmissionPolicyBinding> {
  const { features, paramAccess } = dependencies;
  const declaration = validatingAdmissionPolicyBindingDeclaration;
  return {
    ...declaration,
    strategy: withStaticNames(
      withParamRefAccess(declaration.strategy, 'validatingadmissionpolicies', paramAccess),
      features,
    ),
  };
}
