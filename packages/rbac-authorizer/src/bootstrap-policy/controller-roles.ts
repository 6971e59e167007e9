import type { PolicyRule } from '../policy-objects.js';
import type { PolicyFeatures } from './policy-features.js';
import { CORE, READ, rule, WRITE_EVENTS } from './rule-notation.js';

const APPS = ['apps', 'extensions'];
const DRA = 'resource.k8s.io';
const STORAGE = 'storage.k8s.io';
const CERTIFICATES = 'certificates.k8s.io';
const NETWORKING = 'networking.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';

const SIGNERS =
  'kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet ' +
  'kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown';

/** Workload controllers. */
const workloads: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cronjob-controller': [
    rule('get list update watch', 'batch', 'cronjobs'),
    rule('create delete get list patch update watch', 'batch', 'jobs'),
    rule('update', 'batch', 'cronjobs/status'),
    rule('update', 'batch', 'cronjobs/finalizers'),
    rule('delete list watch', CORE, 'pods'),
    WRITE_EVENTS,
  ],
  'daemon-set-controller': [
    rule(READ, APPS, 'daemonsets'),
    rule('update', APPS, 'daemonsets/status'),
    rule('update', APPS, 'daemonsets/finalizers'),
    rule('list watch', CORE, 'nodes'),
    rule('create delete list patch watch', CORE, 'pods'),
    rule('create', CORE, 'pods/binding'),
    rule('create delete get list patch update watch', 'apps', 'controllerrevisions'),
    WRITE_EVENTS,
  ],
  'deployment-controller': [
    rule('get list update watch', APPS, 'deployments'),
    rule('update', APPS, 'deployments/status'),
    rule('update', APPS, 'deployments/finalizers'),
    rule('create delete get list patch update watch', APPS, 'replicasets'),
    rule('get list update watch', CORE, 'pods'),
    WRITE_EVENTS,
  ],
  'disruption-controller': [
    rule(READ, APPS, 'deployments'),
    rule(READ, APPS, 'replicasets'),
    rule(READ, CORE, 'replicationcontrollers'),
    rule(READ, 'policy', 'poddisruptionbudgets'),
    rule(READ, 'apps', 'statefulsets'),
    rule('update', 'policy', 'poddisruptionbudgets/status'),
    rule('patch update', CORE, 'pods/status'),
    rule('get', '*', '*/scale'),
    WRITE_EVENTS,
  ],
  'horizontal-pod-autoscaler': [
    rule(READ, 'autoscaling', 'horizontalpodautoscalers'),
    rule('update', 'autoscaling', 'horizontalpodautoscalers/status'),
    rule('get update', '*', '*/scale'),
    rule('list watch', CORE, 'pods'),
    rule('list watch', 'metrics.k8s.io', 'pods'),
    rule(READ, 'custom.metrics.k8s.io', '*'),
    rule(READ, 'external.metrics.k8s.io', '*'),
    WRITE_EVENTS,
  ],
  'job-controller': [
    rule('get list patch update watch', 'batch', 'jobs'),
    rule('update', 'batch', 'jobs/status'),
    rule('update', 'batch', 'jobs/finalizers'),
    rule('create delete list patch watch', CORE, 'pods'),
    WRITE_EVENTS,
  ],
  'pod-garbage-collector': [
    rule('delete list watch', CORE, 'pods'),
    rule(READ, CORE, 'nodes'),
    rule('patch', CORE, 'pods/status'),
  ],
  'replicaset-controller': [
    rule('get list update watch', APPS, 'replicasets'),
    rule('update', APPS, 'replicasets/status'),
    rule('update', APPS, 'replicasets/finalizers'),
    rule('create delete list patch watch', CORE, 'pods'),
    WRITE_EVENTS,
  ],
  'replication-controller': [
    rule('get list update watch', CORE, 'replicationcontrollers'),
    rule('update', CORE, 'replicationcontrollers/status'),
    rule('update', CORE, 'replicationcontrollers/finalizers'),
    rule('create delete list patch watch', CORE, 'pods'),
    WRITE_EVENTS,
  ],
  'statefulset-controller': [
    rule('list watch', CORE, 'pods'),
    rule(READ, 'apps', 'statefulsets'),
    rule('update', 'apps', 'statefulsets/status'),
    rule('update', 'apps', 'statefulsets/finalizers'),
    rule('create delete get patch update', CORE, 'pods'),
    rule('create delete get list patch update watch', 'apps', 'controllerrevisions'),
    rule('create get list watch', CORE, 'persistentvolumeclaims'),
    rule('delete update', CORE, 'persistentvolumeclaims'),
    rule('update', CORE, 'pods/finalizers'),
    WRITE_EVENTS,
  ],
  'ttl-after-finished-controller': [rule('delete get list watch', 'batch', 'jobs'), WRITE_EVENTS],
};

const evictionRules: readonly PolicyRule[] = [
  rule('delete get list watch', CORE, 'pods'),
  rule('patch update', CORE, 'pods/status'),
  rule(READ, DRA, 'resourceclaims'),
  rule(READ, DRA, 'resourceslices'),
  rule(READ, DRA, 'deviceclasses'),
  WRITE_EVENTS,
];

const taintRuleRules: readonly PolicyRule[] = [
  rule('patch update', DRA, 'devicetaintrules/status'),
  rule(READ, DRA, 'devicetaintrules'),
];

/** The controller also deletes answered requests. */
const poolStatusRules: readonly PolicyRule[] = [
  rule('delete get list watch', DRA, 'resourcepoolstatusrequests'),
  rule('patch update', DRA, 'resourcepoolstatusrequests/status'),
  rule(READ, DRA, 'resourceslices'),
  rule(READ, DRA, 'resourceclaims'),
  WRITE_EVENTS,
];

/** Volume and device controllers. */
const resources: Readonly<Record<string, readonly PolicyRule[]>> = {
  'attachdetach-controller': [
    rule('list watch', CORE, 'persistentvolumeclaims persistentvolumes'),
    rule(READ, CORE, 'nodes'),
    rule('patch update', CORE, 'nodes/status'),
    rule('list watch', CORE, 'pods'),
    WRITE_EVENTS,
    rule('create delete get list watch', STORAGE, 'volumeattachments'),
    rule(READ, STORAGE, 'csidrivers'),
    rule(READ, STORAGE, 'csinodes'),
  ],
  'device-taint-eviction-controller': evictionRules,
  'ephemeral-volume-controller': [
    rule(READ, CORE, 'pods'),
    rule('update', CORE, 'pods/finalizers'),
    rule('create get list watch', CORE, 'persistentvolumeclaims'),
    WRITE_EVENTS,
  ],
  'expand-controller': [
    rule('get list patch update watch', CORE, 'persistentvolumes'),
    rule('patch update', CORE, 'persistentvolumeclaims/status'),
    rule(READ, CORE, 'persistentvolumeclaims'),
    WRITE_EVENTS,
  ],
  'persistent-volume-binder': [
    rule('create delete get list update watch', CORE, 'persistentvolumes'),
    rule('update', CORE, 'persistentvolumes/status'),
    rule('get list update watch', CORE, 'persistentvolumeclaims'),
    rule('update', CORE, 'persistentvolumeclaims/status'),
    rule('create delete get list watch', CORE, 'pods'),
    rule(READ, STORAGE, 'storageclasses'),
    rule('list watch', CORE, 'nodes'),
    WRITE_EVENTS,
    rule('watch', CORE, 'events'),
  ],
  'pv-protection-controller': [rule('get list update watch', CORE, 'persistentvolumes'), WRITE_EVENTS],
  'pvc-protection-controller': [
    rule('get list update watch', CORE, 'persistentvolumeclaims'),
    rule('update', CORE, 'persistentvolumeclaims/status'),
    rule(READ, CORE, 'pods'),
    WRITE_EVENTS,
  ],
  'resource-claim-controller': [
    rule(READ, CORE, 'pods'),
    rule('update', CORE, 'pods/finalizers'),
    rule('create delete get list watch', DRA, 'resourceclaims'),
    rule('patch update', DRA, 'resourceclaims resourceclaims/status'),
    rule('patch update', CORE, 'pods/status'),
    WRITE_EVENTS,
    rule('patch update', DRA, 'resourceclaims/binding'),
  ],
  'selinux-warning-controller': [
    WRITE_EVENTS,
    rule(READ, CORE, 'persistentvolumes'),
    rule(READ, CORE, 'persistentvolumeclaims'),
    rule(READ, CORE, 'pods'),
    rule(READ, STORAGE, 'csidrivers'),
  ],
  'volumeattributesclass-protection-controller': [
    rule(READ, CORE, 'persistentvolumeclaims'),
    rule(READ, CORE, 'persistentvolumes'),
    rule('get list update watch', STORAGE, 'volumeattributesclasses'),
    WRITE_EVENTS,
  ],
};

/** Node and networking controllers. */
const network: Readonly<Record<string, readonly PolicyRule[]>> = {
  'endpoint-controller': [
    rule(READ, CORE, 'pods services'),
    rule('create delete get list update watch', CORE, 'endpoints'),
    rule('create', CORE, 'endpoints/restricted'),
    WRITE_EVENTS,
  ],
  'endpointslice-controller': [
    rule(READ, CORE, 'nodes pods services'),
    rule('update', CORE, 'services/finalizers'),
    rule('create delete get list update watch', 'discovery.k8s.io', 'endpointslices'),
    WRITE_EVENTS,
  ],
  'endpointslicemirroring-controller': [
    rule(READ, CORE, 'endpoints services'),
    rule('update', CORE, 'services/finalizers'),
    rule('update', CORE, 'endpoints/finalizers'),
    rule('create delete get list update watch', 'discovery.k8s.io', 'endpointslices'),
    WRITE_EVENTS,
  ],
  'node-controller': [
    rule('delete get list patch update watch', CORE, 'nodes'),
    rule('patch update', CORE, 'nodes/status'),
    rule('patch update', CORE, 'pods/status'),
    rule('delete get list watch', CORE, 'pods'),
    WRITE_EVENTS,
  ],
  'route-controller': [rule('list watch', CORE, 'nodes'), rule('patch', CORE, 'nodes/status'), WRITE_EVENTS],
  'service-cidrs-controller': [
    rule('get list patch update watch', NETWORKING, 'servicecidrs'),
    rule('patch update', NETWORKING, 'servicecidrs/finalizers'),
    rule('patch update', NETWORKING, 'servicecidrs/status'),
    rule(READ, NETWORKING, 'ipaddresses'),
    WRITE_EVENTS,
  ],
  'service-controller': [
    rule(READ, CORE, 'services'),
    rule('patch update', CORE, 'services/status'),
    rule('list watch', CORE, 'nodes'),
    WRITE_EVENTS,
  ],
  'ttl-controller': [rule('list patch update watch', CORE, 'nodes'), WRITE_EVENTS],
};

/** Controllers of identities, policy and object lifecycle. */
const cluster: Readonly<Record<string, readonly PolicyRule[]>> = {
  'certificate-controller': [
    rule('delete get list watch', CERTIFICATES, 'certificatesigningrequests'),
    rule('update', CERTIFICATES, 'certificatesigningrequests/approval certificatesigningrequests/status'),
    rule('approve', CERTIFICATES, 'signers', 'kubernetes.io/kube-apiserver-client-kubelet'),
    rule('sign', CERTIFICATES, 'signers', SIGNERS),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    WRITE_EVENTS,
  ],
  'clusterrole-aggregation-controller': [
    rule('escalate get list patch update watch', 'rbac.authorization.k8s.io', 'clusterroles'),
  ],
  'generic-garbage-collector': [rule('delete get list patch update watch', '*', '*'), WRITE_EVENTS],
  'legacy-service-account-token-cleaner': [
    rule('get', CORE, 'configmaps', 'kube-apiserver-legacy-service-account-token-tracking'),
    rule('delete patch', CORE, 'secrets'),
  ],
  'namespace-controller': [
    rule('delete get list watch', CORE, 'namespaces'),
    rule('update', CORE, 'namespaces/finalize namespaces/status'),
    rule('delete deletecollection get list watch', '*', '*'),
  ],
  'resourcequota-controller': [
    rule('list watch', '*', '*'),
    rule('update', CORE, 'resourcequotas/status'),
    WRITE_EVENTS,
  ],
  'root-ca-cert-publisher': [rule('create update', CORE, 'configmaps'), WRITE_EVENTS],
  'service-account-controller': [rule('create', CORE, 'serviceaccounts'), WRITE_EVENTS],
  'validatingadmissionpolicy-status-controller': [
    rule(READ, ADMISSION, 'validatingadmissionpolicies'),
    rule('get patch update', ADMISSION, 'validatingadmissionpolicies/status'),
    WRITE_EVENTS,
  ],
};

const cleanerRules: readonly PolicyRule[] = [rule('delete get list watch', CERTIFICATES, 'podcertificaterequests')];

const publisherRules: readonly PolicyRule[] = [
  rule('attest', CERTIFICATES, 'signers', 'kubernetes.io/kube-apiserver-serving'),
  rule('create delete list update watch', CERTIFICATES, 'clustertrustbundles'),
  WRITE_EVENTS,
];

const podGroupRules: readonly PolicyRule[] = [
  rule('get list update watch', 'scheduling.k8s.io', 'podgroups'),
  rule(READ, CORE, 'pods'),
];

const storageVersionRules: readonly PolicyRule[] = [
  rule(READ, 'coordination.k8s.io', 'leases'),
  rule('delete get list patch update watch', 'internal.apiserver.k8s.io', 'storageversions'),
  rule('get patch update', 'internal.apiserver.k8s.io', 'storageversions/status'),
];

const migratorRules: readonly PolicyRule[] = [
  rule('create list patch', '*', '*'),
  rule('update', 'storagemigration.k8s.io', 'storageversionmigrations/status'),
];

/**
 * The rules of each controller of kube-controller-manager, by the name of its service account in kube-system.
 * Upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go
 */
export function controllerRules(features: PolicyFeatures): Readonly<Record<string, readonly PolicyRule[]>> {
  const taintRules = features.deviceTaintRules ? taintRuleRules : [];
  return {
    ...workloads,
    ...resources,
    'device-taint-eviction-controller': [...evictionRules, ...taintRules],
    ...network,
    ...cluster,
    ...Object.fromEntries(
      gatedControllers(features).flatMap(([enabled, name, rules]) => (enabled ? [[name, rules]] : [])),
    ),
  };
}

/** Controllers of features that are off by default. */
function gatedControllers(
  features: PolicyFeatures,
): readonly (readonly [enabled: boolean | undefined, name: string, rules: readonly PolicyRule[]])[] {
  return [
    [features.resourcePoolStatus, 'resourcepoolstatusrequest-controller', poolStatusRules],
    [features.podCertificateRequest, 'podcertificaterequestcleaner', cleanerRules],
    [features.clusterTrustBundle, 'kube-apiserver-serving-clustertrustbundle-publisher', publisherRules],
    [features.genericWorkload, 'podgroup-protection-controller', podGroupRules],
    [features.storageVersions, 'storage-version-garbage-collector', storageVersionRules],
    [features.storageVersionMigrator, 'storage-version-migrator-controller', migratorRules],
  ];
}
