import { MutatingAdmissionPolicy } from '@apiserver/api/admissionregistration/v1';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyAlpha } from '@apiserver/api/admissionregistration/v1alpha1';
import { MutatingAdmissionPolicy as MutatingAdmissionPolicyBeta } from '@apiserver/api/admissionregistration/v1beta1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { withParamKindAccess } from '../access/param-access.js';
import { applyPolicyDefaults } from '../defaults/policy-defaults.js';
import type { AdmissionRegistrationDependencies } from '../dependencies.js';
import { withStaticNames } from '../strategy/static-names.js';
import { mutatingAdmissionPolicyColumns } from './columns.js';
import { mutatingAdmissionPolicyStrategy } from './strategy.js';

/**
 * MutatingAdmissionPolicies: expressions that change objects. At rest they are v1beta1, which a server of 1.35 reads
 * too.
 * Upstream: NewStorageFactoryConfig of pkg/kubeapiserver/default_storage_factory_builder.go
 */
export const mutatingAdmissionPolicyDeclaration = defineResource<MutatingAdmissionPolicy>({
  categories: ['api-extensions'],
  versions: [
    { schema: MutatingAdmissionPolicy, applyDefaults: applyPolicyDefaults },
    {
      schema: MutatingAdmissionPolicyBeta,
      applyDefaults: applyPolicyDefaults,
      ...sameFields('admissionregistration.k8s.io', 'v1beta1'),
    },
    {
      schema: MutatingAdmissionPolicyAlpha,
      applyDefaults: applyPolicyDefaults,
      ...sameFields('admissionregistration.k8s.io', 'v1alpha1'),
    },
  ],
  storageVersion: 'v1beta1',
  strategy: mutatingAdmissionPolicyStrategy,
  columns: mutatingAdmissionPolicyColumns,
});

/** The kind for one server, which may reserve names for files. Authors must be allowed to read the parameters. */
export function mutatingAdmissionPolicies(
  dependencies: AdmissionRegistrationDependencies,
): ResourceDefinition<MutatingAdmissionPolicy> {
  const { features, paramAccess } = dependencies;
  const declaration = mutatingAdmissionPolicyDeclaration;
  return {
    ...declaration,
    strategy: withStaticNames(withParamKindAccess(declaration.strategy, paramAccess), features),
  };
}
