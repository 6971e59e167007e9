import type { DaemonSet, ReplicaSet } from '@apiserver/api/apps/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../core/pod-spec/pod-features.js';
import { validateDaemonSet, validateDaemonSetUpdate } from './daemon-set/validation.js';
import { validateDeployment } from './deployment/validation.js';
import { validateReplicaSetUpdate } from './replica-set/validation.js';
import { validateStatefulSet } from './stateful-set/validation.js';

const labels = { app: 'a' };
const container = { resources: {}, name: 'c', image: 'i', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' };
const spec = {
  replicas: 1,
  selector: { matchLabels: labels },
  template: {
    metadata: { labels },
    spec: {
      containers: [{ ...container, terminationMessagePath: '/t' }],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 's',
      terminationGracePeriodSeconds: 30,
      securityContext: {},
    },
  },
};
const metadata = { name: 'a', namespace: 'ns' };
const rollingUpdate = { maxUnavailable: '101%', maxSurge: '-1' };

const deployment = (strategy: object) =>
  validateDeployment(
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...spec, strategy }, status: {} },
    DEFAULT_POD_FEATURES,
  );
const daemonSet = (fields: object) =>
  validateDaemonSet(
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata,
      spec: { ...spec, updateStrategy: { type: 'OnDelete' }, ...fields },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    },
    DEFAULT_POD_FEATURES,
  );
const statefulSet = (updateStrategy: object) =>
  validateStatefulSet(
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: { ...spec, serviceName: 's', podManagementPolicy: 'Parallel', updateStrategy },
      status: { replicas: 0 },
    },
    DEFAULT_POD_FEATURES,
  );

it.each<[string, ReturnType<typeof deployment>, string]>([
  [
    'a strategy of a Deployment in the form of its internal type',
    deployment({ type: 'x', rollingUpdate: { maxSurge: '1%' } }),
    'spec.strategy: Unsupported value: {"Type":"x","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"1%"}}: supported values: "Recreate", "RollingUpdate"',
  ],
  [
    'a strategy of a DaemonSet in the form of its internal type',
    daemonSet({ updateStrategy: { type: 'x' } }),
    'spec.updateStrategy: Unsupported value: {"Type":"x","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
  ],
  [
    'a strategy of a StatefulSet in the form of its internal type',
    statefulSet({ type: 'x' }),
    'spec.updateStrategy: Invalid value: {"Type":"x","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
  ],
  [
    'a rolling update that a StatefulSet does not use',
    statefulSet({ type: 'OnDelete', rollingUpdate: { partition: 1 } }),
    'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
  ],
  [
    'an absent selector of a DaemonSet as one that selects nothing',
    daemonSet({ selector: undefined }),
    'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
  ],
  [
    'a count without a percent sign as no zero',
    deployment({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '5', maxSurge: 0 } }),
    `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "5": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
  ],
  [
    'an empty selector of a DaemonSet',
    daemonSet({ selector: {} }),
    'spec.selector: Invalid value: {}: empty selector is invalid for daemonset',
  ],
])('reports %s', (_what, errors, message) => {
  expect(aggregateFieldErrors(errors)).toBe(message);
});

it('validates the format of both counts of a DaemonSet before their values', () => {
  const errors = daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  expect(errors.map(({ field }) => field.replace('spec.updateStrategy.rollingUpdate.', ''))).toEqual([
    'maxSurge',
    'maxUnavailable',
    // "-1" is a number that is not zero, though no percentage.
    'maxSurge',
  ]);
});

const replicaSet = (replicas: number, app = 'a'): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { ...metadata, resourceVersion: '1' },
  spec: { ...spec, replicas, selector: { matchLabels: { app } } },
  status: { replicas: 0 },
});

it('reports each fault of an updated ReplicaSet once, a changed selector last', () => {
  const errors = validateReplicaSetUpdate(replicaSet(-1, 'b'), replicaSet(1), DEFAULT_POD_FEATURES);
  expect(errors.map(({ field }) => field)).toEqual(['spec.replicas', 'spec.template.metadata.labels', 'spec.selector']);
});

it('keeps an invalid value in the selector of a DaemonSet', () => {
  const set = (value: string, revisionHistoryLimit = 1): DaemonSet => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...metadata, resourceVersion: '1' },
    spec: {
      template: spec.template,
      updateStrategy: { type: 'OnDelete' },
      revisionHistoryLimit,
      selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [value] }] },
    },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  });
  const fields = (errors: ReturnType<typeof validateDaemonSet>) => errors.map(({ field }) => field);
  expect([
    fields(validateDaemonSetUpdate(set('-', 2), set('-'), DEFAULT_POD_FEATURES)),
    fields(validateDaemonSetUpdate(set('-', -1), set('-'), DEFAULT_POD_FEATURES)),
    fields(validateDaemonSet(set('-'), DEFAULT_POD_FEATURES)),
  ]).toEqual([[], ['spec.revisionHistoryLimit'], ['spec.selector.matchExpressions[0].values[0]']]);
});
