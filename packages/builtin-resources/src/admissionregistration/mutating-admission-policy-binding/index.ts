import { MutatingAdmissionPolicyBinding } from '@apiserver/api/admissionregistration/v1';
import { MutatingAdmissionPolicyBinding as MutatingAdmissionPolicyBindingAlpha } from '@apiserver/api/admissionregistration/v1alpha1';
import { MutatingAdmissionPolicyBinding as MutatingAdmissionPolicyBindingBeta } from '@apiserver/api/admissionregistration/v1beta1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { withParamRefAccess } from '../access/param-access.js';
import { applyAlphaBindingDefaults, applyBindingDefaults } from '../defaults/policy-defaults.js';
import type { AdmissionRegistrationDependencies } from '../dependencies.js';
import { withStaticNames } from '../strategy/static-names.js';
import { mutatingAdmissionPolicyBindingColumns } from './columns.js';
import { mutatingAdmissionPolicyBindingStrategy } from './strategy.js';

/** MutatingAdmissionPolicyBindings: put a policy into effect, with parameters. They are stored as policies are. */
export const mutatingAdmissionPolicyBindingDeclaration = defineResource<MutatingAdmissionPolicyBinding>({
  categories: ['api-extensions'],
  versions: [
    { schema: MutatingAdmissionPolicyBinding, applyDefaults: applyBindingDefaults },
    {
      schema: MutatingAdmissionPolicyBindingBeta,
      applyDefaults: applyBindingDefaults,
      ...sameFields('admissionregistration.k8s.io', 'v1beta1'),
    },
    {
      schema: MutatingAdmissionPolicyBindingAlpha,
      applyDefaults: applyAlphaBindingDefaults,
      ...sameFields('admissionregistration.k8s.io', 'v1alpha1'),
    },
  ],
  storageVersion: 'v1beta1',
  strategy: mutatingAdmissionPolicyBindingStrategy,
  columns: mutatingAdmissionPolicyBindingColumns,
});

/** The kind for one server, which may reserve names for files. Authors must be allowed to read the parameters. */
export function mutatingAdmissionPolicyBindings(
  dependencies: AdmissionRegistrationDependencies,
): ResourceDefinition<MutatingAdmissionPolicyBinding> {
  const { features, paramAccess } = dependencies;
  const declaration = mutatingAdmissionPolicyBindingDeclaration;
  return {
    ...declaration,
    strategy: withStaticNames(
      withParamRefAccess(declaration.strategy, 'mutatingadmissionpolicies', paramAccess),
      features,
    ),
  };
}
