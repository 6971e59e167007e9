import { expect, it } from 'vitest';
import { storedDefinitions } from './testing/group-dependencies.js';

/** Kinds that support update, by the given flag. */
function updated(flag: 'allowCreateOnUpdate' | 'allowUnconditionalUpdate', value: boolean): readonly string[] {
  return storedDefinitions()
    .filter(({ verbs, strategy }) => verbs.includes('update') && strategy[flag] === value)
    .map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`))
    .sort();
}

/** Upstream: AllowCreateOnUpdate of the strategies in k8s.io/kubernetes/pkg/registry */
it('an update creates objects of these kinds only', () => {
  expect(updated('allowCreateOnUpdate', true)).toEqual([
    'clusterrolebindings.rbac.authorization.k8s.io',
    'clusterroles.rbac.authorization.k8s.io',
    'endpoints',
    'events',
    'events.events.k8s.io',
    'leasecandidates.coordination.k8s.io',
    'leases.coordination.k8s.io',
    'limitranges',
    'rolebindings.rbac.authorization.k8s.io',
    'roles.rbac.authorization.k8s.io',
    'runtimeclasses.node.k8s.io',
    'services',
  ]);
});

/** Upstream: AllowUnconditionalUpdate of the strategies in k8s.io/kubernetes/pkg/registry */
it('an update of these kinds requires a resourceVersion', () => {
  expect(updated('allowUnconditionalUpdate', false)).toEqual([
    'clustertrustbundles.certificates.k8s.io',
    'csidrivers.storage.k8s.io',
    'csinodes.storage.k8s.io',
    'csistoragecapacities.storage.k8s.io',
    'leasecandidates.coordination.k8s.io',
    'leases.coordination.k8s.io',
    'mutatingadmissionpolicies.admissionregistration.k8s.io',
    'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    'podcertificaterequests.certificates.k8s.io',
    'poddisruptionbudgets.policy',
    'resourcepoolstatusrequests.resource.k8s.io',
    'runtimeclasses.node.k8s.io',
    'storageversionmigrations.storagemigration.k8s.io',
    'storageversions.internal.apiserver.k8s.io',
    'validatingadmissionpolicies.admissionregistration.k8s.io',
    'validatingadmissionpolicybindings.admissionregistration.k8s.io',
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
    'volumeattachments.storage.k8s.io',
  ]);
});
