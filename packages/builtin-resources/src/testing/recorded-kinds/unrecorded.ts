/**
 * Defaults (`type.field`) that no recorded object shows, each with its source. The recorded objects are random, and of
 * a server of 1.34.
 */
export const UNRECORDED_DEFAULTS: Readonly<Record<string, string>> = {
  'DeviceToleration.operator': '+default in k8s.io/api/resource/v1/types.go',
  'DownwardAPIVolumeSource.defaultMode': 'SetDefaults_DownwardAPIVolumeSource of pkg/apis/core/v1/defaults.go',
  'FileKeySelector.optional': '+default in k8s.io/api/core/v1/types.go; EnvFiles was off in 1.34',
  'ImageVolumeSource.pullPolicy': 'SetDefaults_PodSpec of pkg/apis/core/v1/defaults.go; ImageVolume was off in 1.34',
  'NetworkPolicyPort.protocol': 'SetDefaults_NetworkPolicyPort of pkg/apis/networking/v1/defaults.go',
  'PodCertificateRequestSpec.maxExpirationSeconds': '+default in k8s.io/api/certificates/v1beta1/types.go',
  'PodFailurePolicyOnPodConditionsPattern.status':
    'SetDefaults_PodFailurePolicyOnPodConditionsPattern of pkg/apis/batch/v1/defaults.go',
  'PodGroupSpec.disruptionMode': '+default in k8s.io/api/scheduling/v1alpha2/types.go',
  'ResourcePoolStatusRequestSpec.limit': '+default in k8s.io/api/resource/v1alpha3/types.go',
  'ServiceAccountTokenProjection.expirationSeconds':
    'SetDefaults_ServiceAccountTokenProjection of pkg/apis/core/v1/defaults.go',
  'ValidatingWebhook.failurePolicy': 'SetDefaults_ValidatingWebhook of pkg/apis/admissionregistration/v1/defaults.go',
};

/** Versions of kinds that the recording release has in an older version only: `apiVersion/kind` and that version. */
export const NEW_VERSIONS: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy':
    'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding':
    'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding',
  'resource.k8s.io/v1beta2/DeviceTaintRule': 'resource.k8s.io/v1alpha3/DeviceTaintRule',
};

/**
 * Kinds of which nothing is recorded: `apiVersion/kind`. The recording release did not have them, or the recording left
 * them out. They have printers of their own, and their own tests have their cells.
 */
export const UNRECORDED_KINDS: readonly string[] = [
  'certificates.k8s.io/v1beta1/PodCertificateRequest',
  'scheduling.k8s.io/v1alpha2/PodGroup',
  'scheduling.k8s.io/v1alpha2/Workload',
  'resource.k8s.io/v1alpha3/ResourcePoolStatusRequest',
  'internal.apiserver.k8s.io/v1alpha1/StorageVersion',
  'storagemigration.k8s.io/v1beta1/StorageVersionMigration',
];

/**
 * Kinds without a printer of their own (`apiVersion/kind`).
 * Upstream: AddHandlers of pkg/printers/internalversion/printers.go
 */
export const DEFAULT_TABLES: readonly string[] = [
  'v1/LimitRange',
  'rbac.authorization.k8s.io/v1/ClusterRole',
  'rbac.authorization.k8s.io/v1/Role',
];

/** A cell of an object, beside what its kind needs anyway. */
interface FilledCell {
  readonly fields: object;
  readonly cell: unknown;
}

const CLAIM = {
  spec: { volumeName: 'v', storageClassName: 'fast', volumeAttributesClassName: 'gold' },
  status: { capacity: { storage: '1024Mi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
};
const CONTAINERS = [
  { name: 'c', image: 'i' },
  { name: 'd', image: 'j' },
];
const QUOTA = {
  status: { hard: { pods: '4', 'limits.cpu': '2', cpu: '1' }, used: { pods: '3', 'limits.cpu': '500m' } },
};
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };
const PARAM_BINDING = { spec: { policyName: 'p', paramRef: { name: 'n', namespace: 'ns' } } };
const SELECTED_BINDING = {
  spec: {
    policyName: 'p',
    paramRef: {
      selector: {
        matchLabels: { b: 'c', a: 'b' },
        matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }],
      },
    },
  },
};
const SELECTOR_TEXT =
  '&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}';
const JOB_TEMPLATE = { template: { spec: { containers: CONTAINERS } }, selector: { matchLabels: { a: 'b' } } };

const CANDIDATE = { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.35.0' };

const QUEUING_LEVEL = {
  type: 'Limited',
  limited: { limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } } },
};

/**
 * Columns (`apiVersion/kind column`) that no recorded object fills, each with a cell by hand.
 * Upstream: pkg/printers/internalversion/printers.go
 */
export const UNFILLED_COLUMNS: Readonly<Record<string, FilledCell>> = {
  ...Object.fromEntries(
    ['v1alpha1', 'v1beta1'].map((version) => [
      `certificates.k8s.io/${version}/ClusterTrustBundle SignerName`,
      { fields: { spec: { signerName: 'example.com/s', trustBundle: '' } }, cell: 'example.com/s' },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ LeaseName: 'l', BinaryVersion: '1.36.0', EmulationVersion: '1.35.0' }).map(([name, cell]) => [
      `coordination.k8s.io/v1alpha2/LeaseCandidate ${name}`,
      { fields: { spec: CANDIDATE }, cell },
    ]),
  ),
  'flowcontrol.apiserver.k8s.io/v1/FlowSchema DistinguisherMethod': {
    fields: { spec: { priorityLevelConfiguration: { name: 'p' }, distinguisherMethod: { type: 'ByUser' } } },
    cell: 'ByUser',
  },
  ...Object.fromEntries(
    Object.entries({ Queues: 64, HandSize: 6, QueueLengthLimit: 50 }).map(([name, cell]) => [
      `flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration ${name}`,
      { fields: { spec: QUEUING_LEVEL }, cell },
    ]),
  ),
  'v1/Node Roles': {
    fields: { metadata: { labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' } } },
    cell: 'edge,worker',
  },
  'v1/Node External-IP': {
    fields: {
      status: {
        addresses: [
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'ExternalIP', address: '192.0.2.1' },
          { type: 'ExternalIP', address: '192.0.2.2' },
        ],
      },
    },
    cell: '192.0.2.1',
  },
  'v1/PersistentVolumeClaim Volume': { fields: CLAIM, cell: 'v' },
  'v1/PersistentVolumeClaim Capacity': { fields: CLAIM, cell: '1Gi' },
  'v1/PersistentVolumeClaim Access Modes': { fields: CLAIM, cell: 'RWO,RWX' },
  'v1/PersistentVolumeClaim StorageClass': { fields: CLAIM, cell: 'fast' },
  'v1/PersistentVolumeClaim VolumeAttributesClass': { fields: CLAIM, cell: 'gold' },
  'v1/Pod Nominated Node': {
    fields: { spec: { containers: CONTAINERS }, status: { nominatedNodeName: 'n' } },
    cell: 'n',
  },
  'v1/PodTemplate Images': { fields: { template: { spec: { containers: CONTAINERS } } }, cell: 'i,j' },
  'v1/ResourceQuota Request': { fields: QUOTA, cell: 'cpu: 0/1, pods: 3/4' },
  'v1/ResourceQuota Limit': { fields: QUOTA, cell: 'limits.cpu: 500m/2' },
  'v1/Service Selector': { fields: { spec: { selector: { b: 'c', a: 'b' } } }, cell: 'a=b,b=c' },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy Validations': {
    fields: { spec: { validations: [{ expression: 'true' }, { expression: 'false' }] } },
    cell: 2,
  },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding ParamRef': { fields: PARAM_BINDING, cell: 'ns/n' },
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding PolicyName': { fields: PARAM_BINDING, cell: 'p' },
  'admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding ParamRef': {
    fields: SELECTED_BINDING,
    cell: SELECTOR_TEXT,
  },
  'admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding PolicyName': {
    fields: SELECTED_BINDING,
    cell: 'p',
  },
  'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy Mutations': {
    fields: { spec: { mutations: [{}] } },
    cell: 1,
  },
  'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy ParamKind': {
    fields: { spec: { paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' } } },
    cell: 'example.com/v1/Limit',
  },
  'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding ParamRef': {
    fields: { spec: { paramRef: { name: 'n' } } },
    cell: '*/n',
  },
  'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding PolicyName': {
    fields: PARAM_BINDING,
    cell: 'p',
  },
  'apps/v1/ControllerRevision Controller': {
    fields: {
      metadata: {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' },
          { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'v', controller: true },
        ],
      },
      revision: 1,
    },
    cell: 'daemonset.apps/d',
  },
  'autoscaling/v1/HorizontalPodAutoscaler Replicas': {
    fields: {
      spec: { maxReplicas: 4, scaleTargetRef: { kind: 'Deployment', name: 'd' } },
      status: { currentReplicas: 3 },
    },
    cell: 3,
  },
  'batch/v1/CronJob Active': {
    fields: {
      spec: { schedule: '* * * * *', jobTemplate: { spec: JOB_TEMPLATE } },
      status: { active: [{ name: 'j' }] },
    },
    cell: 1,
  },
  'batch/v1/CronJob Selector': {
    fields: { spec: { schedule: '* * * * *', jobTemplate: { spec: JOB_TEMPLATE } } },
    cell: 'a=b',
  },
  'coordination.k8s.io/v1/Lease Holder': { fields: { spec: { holderIdentity: 'h' } }, cell: 'h' },
  'networking.k8s.io/v1/IngressClass Controller': {
    fields: { spec: { controller: 'example.com/c' } },
    cell: 'example.com/c',
  },
  'networking.k8s.io/v1/NetworkPolicy Pod-Selector': {
    fields: {
      spec: { podSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] } },
    },
    cell: 'a=b,c',
  },
  ...Object.fromEntries(
    ['v1', 'v1beta1'].map((version) => [
      `networking.k8s.io/${version}/ServiceCIDR CIDRs`,
      { fields: { spec: { cidrs: ['10.0.0.0/16', 'fd00::/108'] } }, cell: '10.0.0.0/16,fd00::/108' },
    ]),
  ),
  'policy/v1/PodDisruptionBudget Allowed Disruptions': { fields: { status: { disruptionsAllowed: 2 } }, cell: 2 },
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding Groups': {
    fields: {
      roleRef: ROLE_REF,
      subjects: [
        { kind: 'Group', name: 'g' },
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'h' },
      ],
    },
    cell: 'g, h',
  },
  'resource.k8s.io/v1alpha3/DeviceTaintRule Value': {
    fields: { spec: { taint: { key: 'k', value: 'v', effect: 'None' } } },
    cell: 'v',
  },
  ...Object.fromEntries(
    ['v1', 'v1beta2'].map((version) => [
      `resource.k8s.io/${version}/ResourceSlice Node`,
      { fields: { spec: { nodeName: 'n' } }, cell: 'n' },
    ]),
  ),
  'storage.k8s.io/v1/CSIDriver TokenRequests': {
    fields: { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }] } },
    cell: 'a,b',
  },
};
