import type { FullObject } from '../full-object.js';

const SELECTOR = { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }] };
const CONTAINERS = [{ name: 'c', image: 'i' }];
const METADATA = { labels: { app: 'a' } };
const TEMPLATE = { metadata: METADATA, spec: { containers: CONTAINERS } };
const ONCE = { metadata: METADATA, spec: { containers: CONTAINERS, restartPolicy: 'Never' } };
const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const CONDITIONS = [{ type: 'Ready', status: 'True' }];

/** Pods have their own object. Rules for a template's owner are walked here. */
const OF_PODS = ['containers[0]', 'initContainers', 'ephemeralContainers', 'securityContext', 'affinity', 'volumes'];
const OF_METADATA = [
  ...['annotations', 'ownerReferences', 'managedFields', 'finalizers', 'name', 'generateName', 'namespace'],
  ...['selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'],
  'deletionGracePeriodSeconds',
];
const besides = (template: string) => [
  ...OF_PODS.map((field) => `${template}.spec.${field}`),
  ...OF_METADATA.map((field) => `${template}.metadata.${field}`),
];

const JOB = {
  parallelism: 2,
  completions: 3,
  completionMode: 'Indexed',
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 2,
  activeDeadlineSeconds: 60,
  backoffLimit: 4,
  ttlSecondsAfterFinished: 60,
  suspend: false,
  podReplacementPolicy: 'Failed',
  managedBy: 'example.com/jobs',
  template: ONCE,
  podFailurePolicy: {
    rules: [
      { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [1, 2] } },
      { action: 'Count', onPodConditions: [{ type: 'Ready', status: 'True' }] },
    ],
  },
  successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 2 }] },
};

const STARTED = { startTime: '2030-01-01T00:00:00Z' };
const SUSPENDED = {
  new: { conditions: CONDITIONS },
  stopping: { ...STARTED, conditions: CONDITIONS },
  stopped: { ...STARTED, conditions: [...CONDITIONS, { type: 'Suspended', status: 'True' }] },
  resumed: { ...STARTED, conditions: [{ type: 'Suspended', status: 'False' }] },
};

/** Changes of a suspended job, some of which are allowed. */
const SUSPENDED_CHANGES = [
  { 'spec.suspend': false },
  { 'spec.template.metadata.labels': { app: 'a', more: 'b' } },
  { 'spec.template.metadata.annotations': { a: 'b' } },
  { 'spec.template.metadata.labels': undefined },
  { 'spec.template.metadata.name': 'other' },
  { 'spec.template.metadata.finalizers': ['example.com/f'] },
  { 'spec.template.spec.nodeSelector': { a: 'b' } },
  { 'spec.template.spec.tolerations': [{ key: 'a', operator: 'Exists' }] },
  { 'spec.template.spec.schedulingGates': [{ name: 'example.com/g' }] },
  { 'spec.template.spec.affinity': { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } },
  { 'spec.template.spec.affinity': { podAffinity: {} } },
  { 'spec.template.spec.containers': [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
  { 'spec.template.spec.containers': [{ name: 'c', image: 'j' }] },
  { 'spec.template.spec.initContainers': [{ name: 'i', image: 'i' }] },
  { 'spec.template.spec.hostNetwork': true },
  { 'spec.parallelism': 3 },
];

export const workloads: readonly FullObject[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    skipped: besides('spec.template'),
    fields: {
      spec: {
        replicas: 2,
        minReadySeconds: 1,
        progressDeadlineSeconds: 10,
        revisionHistoryLimit: 1,
        paused: false,
        selector: SELECTOR,
        template: TEMPLATE,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
      },
      status: {
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        unavailableReplicas: 1,
        collisionCount: 1,
        terminatingReplicas: 1,
        conditions: CONDITIONS,
      },
    },
    also: [
      { 'spec.strategy': { type: 'Recreate' } },
      { 'spec.strategy.type': 'Recreate' },
      { 'spec.strategy.rollingUpdate': { maxSurge: 0, maxUnavailable: 0 } },
      { 'spec.strategy.rollingUpdate': { maxSurge: '0%', maxUnavailable: '0%' } },
      { 'spec.strategy.rollingUpdate': { maxSurge: 0, maxUnavailable: '100%' } },
      { 'spec.minReadySeconds': 10 },
      { 'spec.minReadySeconds': 9 },
      { 'spec.template.metadata.labels': { app: 'b' } },
      { 'spec.selector': { matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
      { 'spec.selector.matchExpressions': [{ key: 'app', operator: 'Near' }] },
      { 'spec.template.spec.activeDeadlineSeconds': 5 },
      { 'status.collisionCount': undefined },
      { 'status.readyReplicas': 3 },
      { 'status.readyReplicas': 1 },
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    skipped: besides('spec.template'),
    fields: {
      spec: { replicas: 2, minReadySeconds: 1, selector: SELECTOR, template: TEMPLATE },
      status: {
        replicas: 2,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        observedGeneration: 1,
        conditions: CONDITIONS,
      },
    },
    also: [
      { 'spec.template.metadata.labels': { app: 'b' } },
      { 'status.availableReplicas': 1 },
      { 'status.readyReplicas': 1 },
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    skipped: besides('spec.template'),
    fields: {
      spec: {
        replicas: 2,
        minReadySeconds: 1,
        revisionHistoryLimit: 1,
        podManagementPolicy: 'Parallel',
        serviceName: 's',
        selector: SELECTOR,
        template: TEMPLATE,
        volumeClaimTemplates: [CLAIM],
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1, maxUnavailable: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Delete' },
        ordinals: { start: 1 },
      },
      status: {
        observedGeneration: 1,
        replicas: 2,
        readyReplicas: 2,
        currentReplicas: 2,
        updatedReplicas: 2,
        availableReplicas: 2,
        currentRevision: 'a',
        updateRevision: 'b',
        collisionCount: 1,
        conditions: CONDITIONS,
      },
    },
    also: [
      { 'spec.updateStrategy': { type: 'OnDelete' } },
      { 'spec.updateStrategy.type': 'OnDelete' },
      { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: '0%' } },
      { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: '50%' } },
      { 'spec.updateStrategy.rollingUpdate': undefined },
      { 'spec.template.metadata.labels': { app: 'b' } },
      { 'spec.template.spec.restartPolicy': 'OnFailure' },
      { 'spec.template.spec.activeDeadlineSeconds': 5 },
      { 'spec.volumeClaimTemplates': [{ ...CLAIM, metadata: { name: 'Bad_Name' } }] },
      { 'status.collisionCount': undefined },
      { 'status.readyReplicas': 1 },
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    skipped: besides('spec.template'),
    fields: {
      spec: {
        minReadySeconds: 1,
        revisionHistoryLimit: 1,
        selector: SELECTOR,
        template: TEMPLATE,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      },
      status: {
        currentNumberScheduled: 1,
        numberMisscheduled: 1,
        desiredNumberScheduled: 1,
        numberReady: 1,
        observedGeneration: 1,
        updatedNumberScheduled: 1,
        numberAvailable: 1,
        numberUnavailable: 1,
        collisionCount: 1,
        conditions: CONDITIONS,
      },
    },
    also: [
      { 'spec.updateStrategy': { type: 'OnDelete' } },
      { 'spec.updateStrategy.rollingUpdate': undefined },
      { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 0, maxSurge: 0 } },
      { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 0, maxSurge: 1 } },
      { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: 1, maxSurge: 1 } },
      { 'spec.updateStrategy.rollingUpdate': { maxUnavailable: '0%', maxSurge: '101%' } },
      { 'spec.template.metadata.labels': { app: 'b' } },
      { 'spec.template.spec.restartPolicy': 'Never' },
      { 'spec.template.spec.activeDeadlineSeconds': 5 },
      { 'spec.selector': { matchLabels: { app: 'b' } }, 'spec.template.metadata.labels': { app: 'b' } },
      { 'status.collisionCount': undefined },
    ],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    fields: { data: { a: 1 }, revision: 2 },
    also: [{ data: { a: 2 } }, { revision: 1 }],
  },
  {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    skipped: besides('spec.template'),
    fields: {
      spec: { replicas: 2, minReadySeconds: 1, selector: { app: 'a' }, template: TEMPLATE },
      status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 },
    },
    also: [{ 'spec.template.metadata.labels': { app: 'b' } }, { 'status.readyReplicas': 1 }],
  },
  { apiVersion: 'v1', kind: 'PodTemplate', skipped: besides('template'), fields: { template: TEMPLATE } },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    skipped: besides('spec.template'),
    fields: {
      spec: { ...JOB, manualSelector: true, selector: { matchLabels: { app: 'a' } } },
      status: {
        active: 1,
        succeeded: 1,
        failed: 1,
        ready: 1,
        terminating: 1,
        startTime: '2030-01-01T00:00:00Z',
        completedIndexes: '0',
        failedIndexes: '1',
        uncountedTerminatedPods: { succeeded: ['b'], failed: ['c'] },
        conditions: [{ type: 'Suspended', status: 'False' }],
      },
    },
    also: [
      { 'spec.suspend': true },
      { 'spec.completions': 4 },
      { 'spec.completions': 4, 'spec.parallelism': 4 },
      { 'spec.completions': 200_000 },
      { 'spec.completions': 200_000, 'spec.maxFailedIndexes': undefined },
      { 'spec.completions': 200_000, 'spec.maxFailedIndexes': 10_001 },
      { 'spec.completions': 200_000, 'spec.maxFailedIndexes': 10_000, 'spec.parallelism': 10_001 },
      { 'spec.parallelism': 100_001 },
      { 'spec.parallelism': 100_000 },
      { 'spec.manualSelector': undefined, 'spec.selector': undefined },
      { 'spec.selector': { matchLabels: { app: 'b' } } },
      { 'spec.template.metadata.labels': { app: 'b' } },
      { 'spec.template.spec.restartPolicy': 'OnFailure', 'spec.podFailurePolicy': undefined },
      { 'spec.backoffLimitPerIndex': undefined },
      { 'spec.podReplacementPolicy': 'TerminatingOrFailed' },
      { 'spec.podReplacementPolicy': 'TerminatingOrFailed', 'spec.podFailurePolicy': undefined },
      { 'spec.managedBy': undefined },
      { 'spec.managedBy': 'kubernetes.io/job-controller' },
      { 'spec.podFailurePolicy.rules': [{ action: 'FailIndex', onExitCodes: { operator: 'NotIn', values: [0] } }] },
      { 'spec.podFailurePolicy.rules': [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [0] } }] },
      { 'spec.podFailurePolicy.rules': [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [2, 1] } }] },
      { 'spec.podFailurePolicy.rules': [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1, 1] } }] },
      {
        'spec.podFailurePolicy.rules': [
          { action: 'Ignore', onExitCodes: { containerName: 'd', operator: 'In', values: [1] } },
        ],
      },
      { 'spec.podFailurePolicy.rules': [{ action: 'Ignore' }] },
      {
        'spec.podFailurePolicy.rules': [
          {
            action: 'Ignore',
            onExitCodes: { operator: 'In', values: [1] },
            onPodConditions: [{ type: 'Ready', status: 'True' }],
          },
        ],
      },
      {
        'spec.podFailurePolicy.rules': Array.from({ length: 21 }, () => ({
          action: 'Ignore',
          onExitCodes: { operator: 'In', values: [1] },
        })),
      },
      {
        'spec.podFailurePolicy.rules': [
          { action: 'Ignore', onExitCodes: { operator: 'In', values: Array.from({ length: 256 }, (_, i) => i + 1) } },
        ],
      },
      {
        'spec.podFailurePolicy.rules': [
          { action: 'Ignore', onPodConditions: Array.from({ length: 21 }, () => ({ type: 'Ready', status: 'True' })) },
        ],
      },
      { 'spec.successPolicy.rules': [{ succeededIndexes: '1,0' }] },
      { 'spec.successPolicy.rules': [{ succeededIndexes: '0-3' }] },
      { 'spec.successPolicy.rules': [{ succeededIndexes: '0-1', succeededCount: 3 }] },
      { 'spec.successPolicy.rules': [{ succeededCount: 4 }] },
      { 'spec.successPolicy.rules': [{}] },
      { 'spec.successPolicy.rules': Array.from({ length: 21 }, () => ({ succeededCount: 1 })) },
      { 'spec.completionMode': 'NonIndexed', 'spec.successPolicy': undefined, 'spec.backoffLimitPerIndex': undefined },
      { 'spec.completionMode': undefined },
      { 'spec.completions': undefined },
      { 'status.conditions': [{ type: 'Complete', status: 'True' }] },
      { 'status.conditions': [{ type: 'Failed', status: 'True' }] },
      {
        'status.conditions': [
          { type: 'SuccessCriteriaMet', status: 'True' },
          { type: 'Complete', status: 'True' },
        ],
        'status.completionTime': '2030-01-01T00:00:00Z',
        'status.active': 0,
        'status.ready': 0,
        'status.terminating': 0,
        'status.uncountedTerminatedPods': {},
      },
      { 'status.startTime': undefined },
      { 'status.completedIndexes': '2,1' },
      { 'status.completedIndexes': '0', 'status.failedIndexes': '0' },
      { 'status.failedIndexes': '3' },
      { 'status.ready': 2 },
    ],
  },
  ...Object.entries(SUSPENDED).map(([title, status]) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: 'suspended',
    title,
    below: 'nothing',
    fields: {
      spec: { ...JOB, suspend: true, manualSelector: true, selector: { matchLabels: { app: 'a' } } },
      status,
    },
    also: SUSPENDED_CHANGES,
  })),
  ...[61, 62].map((length) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: 'j'.repeat(length),
    below: 'nothing',
    fields: { spec: { ...JOB, manualSelector: true, selector: { matchLabels: { app: 'a' } } } },
    also: [
      { 'spec.completions': 1, 'spec.successPolicy': undefined, 'spec.maxFailedIndexes': undefined },
      { 'spec.completions': 10, 'spec.successPolicy': undefined },
      { 'spec.completions': 11, 'spec.successPolicy': undefined },
      { 'spec.completions': 0, 'spec.successPolicy': undefined, 'spec.maxFailedIndexes': undefined },
    ],
  })),
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    skipped: besides('spec.jobTemplate.spec.template'),
    fields: {
      spec: {
        schedule: '0 0 * * *',
        timeZone: 'Europe/Berlin',
        startingDeadlineSeconds: 10,
        suspend: false,
        concurrencyPolicy: 'Forbid',
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 1,
        jobTemplate: { spec: { ...JOB, managedBy: undefined } },
      },
    },
    also: [
      { 'spec.timeZone': 'Local' },
      { 'spec.timeZone': 'Europe/Nowhere' },
      { 'spec.schedule': 'TZ=Europe/Berlin 0 0 * * *' },
      { 'spec.schedule': 'CRON_TZ=Europe/Berlin 0 0 * * *', 'spec.timeZone': undefined },
      { 'spec.schedule': 'TZ=Europe/Nowhere 0 0 * * *', 'spec.timeZone': undefined },
      { 'spec.schedule': '@daily' },
      { 'spec.schedule': '61 * * * *' },
      { 'spec.jobTemplate.spec.manualSelector': true },
      { 'spec.jobTemplate.spec.selector': { matchLabels: { app: 'a' } } },
    ],
  },
];
