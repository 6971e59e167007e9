import { ValidatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { withParamKindAccess } from '../access/param-access.js';
import { applyPolicyDefaults } from '../defaults/policy-defaults.js';
import type { AdmissionRegistrationDependencies } from '../dependencies.js';
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

/** The kind for one server, which may reserve names for files. Authors must be allowed to read the parameters. */
export function validatingAdmissionPolicies(
  dependencies: AdmissionRegistrationDependencies,
): ResourceDefinition<ValidatingAdmissionPolicy> {
  const { features, paramAccess } = dependencies;
  const declaration = validatingAdmissionPolicyDeclaration;
  return {
    ...declaration,
    strategy: withStaticNames(withParamKindAccess(declaration.strategy, paramAccess), features),
  };
}
