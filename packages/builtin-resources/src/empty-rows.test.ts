import { compileKind } from '@apiserver/apimachinery/codec';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { storedDefinitions } from './testing/group-dependencies.js';
import { hubOf } from './testing/smallest-object.js';

/** The rows of objects without any field, as those of bookmarks. Upstream: pkg/printers/internalversion/printers.go */
const EMPTY_ROWS: Readonly<Record<string, readonly unknown[]>> = {
  configmaps: ['', 0, '<unknown>'],
  endpoints: ['', '<none>', '<unknown>'],
  events: ['<unknown>', '', '', '', '', '', '', '<unknown>', 1, ''],
  limitranges: ['', '0001-01-01T00:00:00Z'],
  namespaces: ['', '', '<unknown>'],
  nodes: ['', 'Unknown', '<none>', '<unknown>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  persistentvolumes: ['', '0', '', '', '', '', '', '<unset>', '', '<unknown>', '<unset>'],
  persistentvolumeclaims: ['', '', '', '', '', '', '<unset>', '<unknown>', '<unset>'],
  podtemplates: ['', '', '', '<none>'],
  pods: ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
  replicationcontrollers: ['', 0, 0, 0, '<unknown>', '', '', '<none>'],
  resourcequotas: ['', '', '', '<unknown>'],
  secrets: ['', '', 0, '<unknown>'],
  serviceaccounts: ['', '<unknown>'],
  services: ['', '', '<none>', '<unknown>', '<none>', '<unknown>', '<none>'],
  'controllerrevisions.apps': ['', '<none>', 0, '<unknown>'],
  'daemonsets.apps': ['', 0, 0, 0, 0, 0, '<none>', '<unknown>', '', '', '<none>'],
  'deployments.apps': ['', '0/0', 0, 0, '<unknown>', '', '', ''],
  'replicasets.apps': ['', 0, 0, 0, '<unknown>', '', '', '<none>'],
  'statefulsets.apps': ['', '0/0', '<unknown>', '', ''],
  'horizontalpodautoscalers.autoscaling': ['', '/', '<none>', '<unset>', 0, 0, '<unknown>'],
  'cronjobs.batch': ['', '', '<none>', '<unset>', 0, '<none>', '<unknown>', '', '', '<none>'],
  'jobs.batch': ['', 'Running', '0/1', '', '<unknown>', '', '', '<none>'],
  'certificatesigningrequests.certificates.k8s.io': ['', '<unknown>', '<none>', '', '<none>', 'Pending'],
  'clustertrustbundles.certificates.k8s.io': ['', '<none>'],
  'podcertificaterequests.certificates.k8s.io': ['', '', '', '', '', 'Pending', '<none>'],
  'ingressclasses.networking.k8s.io': ['', '', '<none>', '<unknown>'],
  'ingresses.networking.k8s.io': ['', '<none>', '*', '', '80', '<unknown>'],
  'ipaddresses.networking.k8s.io': ['', '<none>', '<unknown>'],
  'networkpolicies.networking.k8s.io': ['', '<none>', '<unknown>'],
  'servicecidrs.networking.k8s.io': ['', '', '<unknown>'],
  'poddisruptionbudgets.policy': ['', 'N/A', 'N/A', 0, '<unknown>'],
  'clusterrolebindings.rbac.authorization.k8s.io': ['', '/', '<unknown>', '', '', ''],
  'clusterroles.rbac.authorization.k8s.io': ['', '0001-01-01T00:00:00Z'],
  'rolebindings.rbac.authorization.k8s.io': ['', '/', '<unknown>', '', '', ''],
  'roles.rbac.authorization.k8s.io': ['', '0001-01-01T00:00:00Z'],
  'storageclasses.storage.k8s.io': ['', '', 'Delete', 'Immediate', false, '<unknown>'],
  'volumeattachments.storage.k8s.io': ['', '', '', '', false, '<unknown>'],
  'csinodes.storage.k8s.io': ['', 0, '<unknown>'],
  'csidrivers.storage.k8s.io': ['', true, false, false, '<unset>', false, '<none>', '<unknown>'],
  'csistoragecapacities.storage.k8s.io': ['', '', '<unset>'],
  'volumeattributesclasses.storage.k8s.io': ['', '', '<unknown>'],
  'mutatingadmissionpolicies.admissionregistration.k8s.io': ['', 0, '<unset>', '<unknown>'],
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': ['', '', '<unset>', '<unknown>'],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': ['', 0, '<unknown>'],
  'validatingadmissionpolicies.admissionregistration.k8s.io': ['', 0, '<unset>', '<unknown>'],
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': ['', '', '<unset>', '<unknown>'],
  'validatingwebhookconfigurations.admissionregistration.k8s.io': ['', 0, '<unknown>'],
  'priorityclasses.scheduling.k8s.io': ['', 0, false, '<unknown>', ''],
  'podgroups.scheduling.k8s.io': ['', 'Basic', '<none>', 'Pending', '<unknown>'],
  'workloads.scheduling.k8s.io': ['', '<unknown>'],
  'leases.coordination.k8s.io': ['', '', '<unknown>'],
  'leasecandidates.coordination.k8s.io': ['', '', '', '', '<unknown>'],
  'runtimeclasses.node.k8s.io': ['', '', '<unknown>'],
  'endpointslices.discovery.k8s.io': ['', '', '<unset>', '<unset>', '<unknown>'],
  'deviceclasses.resource.k8s.io': ['', '<unknown>'],
  'devicetaintrules.resource.k8s.io': ['', '', '', '', '', '<unknown>'],
  'resourceclaims.resource.k8s.io': ['', 'pending', '<unknown>'],
  'resourceclaimtemplates.resource.k8s.io': ['', '<unknown>'],
  'resourcepoolstatusrequests.resource.k8s.io': ['', '', 0, 'Pending', '<unknown>'],
  'resourceslices.resource.k8s.io': ['', '', '', '', '<unknown>'],
  'flowschemas.flowcontrol.apiserver.k8s.io': ['', '', 0, '<none>', '<unknown>', '?'],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': [
    '',
    '',
    '<none>',
    '<none>',
    '<none>',
    '<none>',
    '<unknown>',
  ],
  'storageversions.internal.apiserver.k8s.io': ['', '<unset>', '<unset>', '<unknown>'],
  'storageversionmigrations.storagemigration.k8s.io': ['', '', 'Unknown'],
};

it('a bookmark of every kind has the row of an object without defaults', () => {
  const watched = storedDefinitions().filter(
    ({ verbs, storedAs }) => verbs.includes('watch') && storedAs === undefined,
  );
  const rows = watched.map((definition) => {
    const { group, resource, kind, columns } = definition;
    const object = compileKind(hubOf(definition).schema).normalize({ apiVersion: 'any', kind, metadata: {} });
    return [
      group === '' ? resource : `${resource}.${group}`,
      columns.map((column) => column.cell(object, rowTime(0))),
    ] as const;
  });
  expect(Object.fromEntries(rows)).toEqual(EMPTY_ROWS);
});
