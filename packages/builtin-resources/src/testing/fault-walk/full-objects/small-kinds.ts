import { CERTIFICATE, KEY } from '../../self-signed-pair.js';
import type { FullObject } from '../full-object.js';

const LABELS = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] };
const REFERENCE = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const METRIC = { name: 'm', selector: LABELS };
const VALUE = { type: 'Value', value: '1' };
const AVERAGE = { type: 'AverageValue', averageValue: '1' };
const UTILIZATION = { type: 'Utilization', averageUtilization: 50 };
const SCALING = {
  stabilizationWindowSeconds: 60,
  selectPolicy: 'Max',
  tolerance: '0.1',
  policies: [
    { type: 'Pods', value: 1, periodSeconds: 15 },
    { type: 'Percent', value: 10, periodSeconds: 60 },
  ],
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
const DOCKER = base64('{"auths":{"a":{}}}');
const TAINT = { key: 'a', value: 'b', effect: 'NoSchedule' };
const MEMORY = { cpu: '1', memory: '1Gi' };
const QUOTA_SCOPE = { operator: 'In', scopeName: 'PriorityClass', values: ['high'] };
const EVENT = {
  eventTime: '2030-01-01T00:00:00.000000Z',
  reportingInstance: 'i',
  action: 'a',
  reason: 'r',
  type: 'Normal',
};

export const smallKinds: readonly FullObject[] = [
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    fields: {
      spec: {
        scaleTargetRef: REFERENCE,
        minReplicas: 1,
        maxReplicas: 5,
        behavior: { scaleUp: SCALING, scaleDown: SCALING },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: UTILIZATION } },
          { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: UTILIZATION } },
          { type: 'Pods', pods: { metric: METRIC, target: AVERAGE } },
          { type: 'Object', object: { describedObject: REFERENCE, metric: METRIC, target: VALUE } },
          { type: 'External', external: { metric: METRIC, target: VALUE } },
        ],
      },
      status: {
        observedGeneration: 1,
        currentReplicas: 1,
        desiredReplicas: 2,
        lastScaleTime: '2030-01-01T00:00:00Z',
        conditions: [{ type: 'AbleToScale', status: 'True' }],
      },
    },
    also: [
      { 'spec.minReplicas': 5 },
      { 'spec.minReplicas': 6 },
      { 'spec.minReplicas': 0, 'spec.metrics': [{ type: 'External', external: { metric: METRIC, target: VALUE } }] },
      { 'spec.minReplicas': 0 },
      ...[
        [{ type: 'Resource', resource: { name: 'cpu', target: AVERAGE } }],
        [{ type: 'Resource', resource: { name: 'cpu', target: VALUE } }],
        [{ type: 'Resource', resource: { name: 'cpu', target: { ...UTILIZATION, ...AVERAGE } } }],
        [{ type: 'Resource', pods: { metric: METRIC, target: AVERAGE } }],
        [{ type: 'Pods', pods: { metric: METRIC, target: VALUE } }],
        [{ type: 'Pods', pods: { metric: METRIC, target: { type: 'AverageValue', averageValue: '0' } } }],
        [{ type: 'Object', object: { describedObject: REFERENCE, metric: METRIC, target: AVERAGE } }],
        [{ type: 'Object', object: { describedObject: REFERENCE, metric: METRIC, target: { ...VALUE, ...AVERAGE } } }],
        [{ type: 'External', external: { metric: METRIC, target: { ...VALUE, ...AVERAGE } } }],
        [{ type: 'External', external: { metric: METRIC, target: { type: 'Value' } } }],
        [{ type: 'Near' }],
        [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: UTILIZATION },
            pods: { metric: METRIC, target: AVERAGE },
          },
        ],
      ].map((metrics) => ({ 'spec.metrics': metrics })),
      { 'spec.behavior.scaleUp': { ...SCALING, stabilizationWindowSeconds: 3600 } },
      { 'spec.behavior.scaleUp': { ...SCALING, stabilizationWindowSeconds: 3601 } },
      { 'spec.behavior.scaleUp': { ...SCALING, policies: [{ type: 'Pods', value: 1, periodSeconds: 1800 }] } },
      { 'spec.behavior.scaleUp': { ...SCALING, policies: [{ type: 'Pods', value: 1, periodSeconds: 1801 }] } },
      { 'spec.behavior.scaleDown': { ...SCALING, policies: [{ type: 'Near', value: 1, periodSeconds: 1 }] } },
    ],
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    fields: {
      spec: { minAvailable: 1, selector: LABELS, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      status: {
        disruptedPods: { p: '2030-01-01T00:00:00Z' },
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
        observedGeneration: 1,
        conditions: [{ type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: '2030-01-01T00:00:00Z' }],
      },
    },
    also: [
      { 'spec.maxUnavailable': 1 },
      { 'spec.minAvailable': undefined, 'spec.maxUnavailable': '50%' },
      { 'spec.minAvailable': undefined, 'spec.maxUnavailable': -1 },
      { 'spec.minAvailable': undefined, 'spec.maxUnavailable': '101%' },
    ],
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    fields: { value: 1000, globalDefault: false, description: 'd', preemptionPolicy: 'Never' },
    also: [{ value: 1_000_000_000 }, { value: 1_000_000_001 }, { value: -2_147_483_648 }],
  },
  ...['system-node-critical', 'system-b'].map((name) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    name,
    fields: {
      value: 2_000_001_000,
      description: 'Used for system critical pods that must not be moved from their current node.',
    },
  })),
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    fields: {
      handler: 'h',
      overhead: { podFixed: MEMORY },
      scheduling: {
        nodeSelector: { a: 'b' },
        tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoExecute', tolerationSeconds: 1 }],
      },
    },
    also: [
      { 'scheduling.tolerations': [{ key: 'a', operator: 'Exists', value: 'b' }] },
      { 'scheduling.tolerations': [{ operator: 'Equal', value: 'b' }] },
      { 'scheduling.tolerations': [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 }] },
      {
        'scheduling.tolerations': [
          { key: 'a', operator: 'Exists' },
          { key: 'a', operator: 'Exists' },
        ],
      },
      { 'overhead.podFixed': { 'example.com/a': '1' } },
      { 'overhead.podFixed': { a: '1' } },
    ],
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    fields: {
      spec: {
        holderIdentity: 'h',
        leaseDurationSeconds: 10,
        acquireTime: '2030-01-01T00:00:00.000000Z',
        leaseTransitions: 1,
        renewTime: '2030-01-01T00:00:00.000000Z',
        strategy: 'OldestEmulationVersion',
        preferredHolder: 'p',
      },
    },
    also: [{ 'spec.strategy': 'example.com/any' }, { 'spec.strategy': 'any' }, { 'spec.strategy': undefined }],
  },
  {
    apiVersion: 'coordination.k8s.io/v1beta1',
    kind: 'LeaseCandidate',
    fields: {
      spec: {
        leaseName: 'l',
        binaryVersion: '1.36.0',
        emulationVersion: '1.35.0',
        strategy: 'OldestEmulationVersion',
        pingTime: '2030-01-01T00:00:00.000000Z',
        renewTime: '2030-01-01T00:00:00.000000Z',
      },
    },
    also: [
      ...[{ 'spec.strategy': 'example.com/any' }, { 'spec.strategy': 'any' }, { 'spec.strategy': undefined }],
      ...[{ 'spec.binaryVersion': '1.34.0' }, { 'spec.binaryVersion': '1.36' }, { 'spec.emulationVersion': 'v1.35.0' }],
      ...[{ 'spec.emulationVersion': '0.0.0+b' }, { 'spec.emulationVersion': undefined }],
    ],
  },
  {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    skipped: ['deprecatedSource', 'related'],
    fields: {
      ...EVENT,
      reportingController: 'example.com/c',
      regarding: { namespace: 'ns', kind: 'Pod', name: 'p' },
      note: 'n',
      series: { count: 2, lastObservedTime: '2030-01-01T00:00:00.000000Z' },
    },
    also: [
      { note: 'n'.repeat(1024) },
      { note: 'n'.repeat(1025) },
      { reason: 'r'.repeat(128) },
      { reason: 'r'.repeat(129) },
      { action: 'r'.repeat(129) },
      { reportingInstance: 'r'.repeat(129) },
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'Event',
    fields: {
      reason: 'r',
      message: 'm',
      type: 'Normal',
      involvedObject: { namespace: 'ns', kind: 'Pod', name: 'p' },
      count: 1,
    },
    also: [{ involvedObject: { kind: 'Node', name: 'n' } }, { involvedObject: { kind: 'Pod', name: 'n' } }],
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    fields: { data: { a: 'b' }, binaryData: { c: 'eA==' }, immutable: true },
    also: [
      { binaryData: { a: 'eA==' } },
      { data: { '..': 'b' } },
      { data: { '..b': 'b' } },
      { data: { a: 'b'.repeat(1024 * 1024 - 2) } },
      { data: { a: 'b'.repeat(1024 * 1024) } },
    ],
  },
  { apiVersion: 'v1', kind: 'Secret', fields: { data: { a: 'eA==' }, type: 'Opaque', immutable: true } },
  ...[
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': DOCKER } },
    { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': DOCKER } },
    { type: 'kubernetes.io/basic-auth', data: { username: 'eA==' } },
    { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': 'eA==' } },
    { type: 'kubernetes.io/tls', data: { 'tls.crt': base64(CERTIFICATE), 'tls.key': base64(KEY) } },
  ].map((fields) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    name: fields.type.slice(14),
    skipped: ['type', 'stringData', 'immutable'],
    fields,
    also: Object.keys(fields.data).map((key) => ({ data: { [key]: 'eA' + '==' } })),
  })),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    name: 'token',
    skipped: ['type', 'stringData', 'immutable'],
    annotations: { 'kubernetes.io/service-account.name': 's' },
    fields: { type: 'kubernetes.io/service-account-token' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    name: 'no-account',
    skipped: ['data', 'type', 'stringData', 'immutable'],
    fields: { type: 'kubernetes.io/service-account-token' },
  },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    fields: {
      spec: { finalizers: ['kubernetes', 'example.com/f'] },
      status: { phase: 'Active', conditions: [{ type: 'NamespaceDeletionContentFailure', status: 'True' }] },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    fields: {
      spec: {
        podCIDR: '10.0.0.0/24',
        podCIDRs: ['10.0.0.0/24', 'fd00::/64'],
        providerID: 'p',
        unschedulable: true,
        taints: [TAINT, { key: 'c', effect: 'NoExecute' }],
        externalID: 'e',
        configSource: {
          configMap: { name: 'c', namespace: 'ns', kubeletConfigKey: 'k' },
        },
      },
      status: {
        capacity: MEMORY,
        allocatable: MEMORY,
        phase: 'Running',
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        images: [{ names: ['i'], sizeBytes: 1 }],
        volumesInUse: ['v'],
        volumesAttached: [{ name: 'v', devicePath: '/d' }],
      },
    },
    also: [
      { 'spec.taints': [TAINT, { ...TAINT, value: 'c' }] },
      { 'spec.taints': [TAINT, { ...TAINT, effect: 'NoExecute' }] },
      { 'spec.taints': [{ ...TAINT, effect: 'Near' }] },
      { 'spec.podCIDRs': ['10.0.0.0/24', '10.0.1.0/24'] },
      { 'spec.podCIDRs': ['10.0.0.0/24', 'fd00::/64', 'fd01::/64'] },
      { 'spec.podCIDRs': ['fd00::/64'] },
      { 'spec.podCIDR': '10.0.0.1/24', 'spec.podCIDRs': ['10.0.0.1/24'] },
      { 'spec.providerID': undefined },
      { 'spec.configSource': {} },
      { 'spec.configSource.configMap.uid': 'u', 'spec.configSource.configMap.resourceVersion': '1' },
      {
        'status.addresses': [
          { type: 'Hostname', address: 'h' },
          { type: 'Hostname', address: 'h' },
        ],
      },
      { 'status.capacity': { 'example.com/a': '1500m' } },
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    fields: {
      spec: {
        hard: { pods: '10', cpu: '1', 'requests.memory': '1Gi' },
        scopes: ['NotTerminating'],
        scopeSelector: { matchExpressions: [QUOTA_SCOPE] },
      },
      status: { hard: { pods: '10' }, used: { pods: '1' } },
    },
    also: [
      { 'spec.hard': { pods: '1' } },
      { 'spec.scopes': ['Terminating', 'NotTerminating'], 'spec.hard': { pods: '1' } },
      { 'spec.scopes': ['BestEffort', 'NotBestEffort'], 'spec.hard': { pods: '1' } },
      { 'spec.scopes': ['BestEffort'] },
      { 'spec.scopes': ['Near'] },
      { 'spec.scopes': ['CrossNamespacePodAffinity'] },
      { 'spec.scopeSelector.matchExpressions': [{ scopeName: 'Terminating', operator: 'Exists' }] },
      { 'spec.scopeSelector.matchExpressions': [{ scopeName: 'Terminating', operator: 'In', values: ['a'] }] },
      { 'spec.scopeSelector.matchExpressions': [{ scopeName: 'PriorityClass', operator: 'In' }] },
      { 'spec.scopeSelector.matchExpressions': [{ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }] },
      { 'spec.scopeSelector.matchExpressions': [{ scopeName: 'PriorityClass', operator: 'DoesNotExist' }] },
      { 'spec.scopeSelector.matchExpressions': [{ scopeName: 'PriorityClass', operator: 'Near' }] },
      {
        'spec.scopeSelector.matchExpressions': [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['a'] }],
      },
      ...[
        'near',
        'requests.storage',
        'count/deployments.apps',
        'requests.example.com/a',
        'fast.storageclass.storage.k8s.io/requests.storage',
      ].map((name) => ({ 'spec.hard': { [name]: '1' }, 'spec.scopes': undefined, 'spec.scopeSelector': undefined })),
      { 'spec.hard': { 'limits.cpu': '1', 'example.com/a': '1' } },
      { 'spec.hard': { services: '1500m' } },
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    fields: {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '4' },
            min: { cpu: '1' },
            default: { cpu: '3' },
            defaultRequest: { cpu: '2' },
            maxLimitRequestRatio: { cpu: '3' },
          },
          { type: 'Pod', max: { cpu: '4' }, min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '4' } },
          { type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1Gi' } },
        ],
      },
    },
    also: [
      { 'spec.limits': [{ type: 'PersistentVolumeClaim', max: { cpu: '1' } }] },
      { 'spec.limits': [{ type: 'PersistentVolumeClaim', default: { storage: '1Gi' } }] },
      { 'spec.limits': [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] },
      { 'spec.limits': [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } }] },
      { 'spec.limits': [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' } }] },
      { 'spec.limits': [{ type: 'Container', max: { cpu: '1' }, defaultRequest: { cpu: '2' } }] },
      { 'spec.limits': [{ type: 'Container', min: { cpu: '3' }, default: { cpu: '2' } }] },
      { 'spec.limits': [{ type: 'Container', min: { cpu: '3' }, defaultRequest: { cpu: '2' } }] },
      { 'spec.limits': [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '2' } }] },
      {
        'spec.limits': [
          { type: 'Container', max: { cpu: '4' }, min: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } },
        ],
      },
      { 'spec.limits': [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }] },
      { 'spec.limits': [{ type: 'Container' }, { type: 'Container' }] },
      { 'spec.limits': [{ type: 'Container', max: { 'hugepages-2Mi': '4Mi' }, min: { 'hugepages-2Mi': '2Mi' } }] },
      { 'spec.limits': [{ type: 'example.com/Any', max: { cpu: '1' } }] },
      { 'spec.limits': [{ type: 'near', max: { cpu: '1' } }] },
    ],
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    fields: { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 's' }], automountServiceAccountToken: true },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind: 'Workload',
    fields: {
      spec: {
        controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'j' },
        podGroupTemplates: [
          { name: 'a', schedulingPolicy: { gang: { minCount: 2 } } },
          { name: 'b', schedulingPolicy: { basic: {} } },
        ],
      },
    },
    also: [
      { 'spec.podGroupTemplates': [{ name: 'a', schedulingPolicy: { gang: { minCount: 2 }, basic: {} } }] },
      { 'spec.podGroupTemplates': [{ name: 'a', schedulingPolicy: {} }] },
      {
        'spec.podGroupTemplates': Array.from({ length: 9 }, (_, i) => ({
          name: `a${i}`,
          schedulingPolicy: { basic: {} },
        })),
      },
    ],
  },
  {
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind: 'PodGroup',
    fields: { spec: { schedulingPolicy: { gang: { minCount: 2 } } } },
    also: [{ 'spec.schedulingPolicy': {} }, { 'spec.schedulingPolicy': { gang: { minCount: 2 }, basic: {} } }],
  },
];
