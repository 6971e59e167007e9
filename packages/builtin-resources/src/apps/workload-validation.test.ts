import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateDaemonSet } from './daemon-set/validation.js';
import { validateDeployment } from './deployment/validation.js';
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
  validateDeployment({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { ...spec, strategy }, status: {} });
const daemonSet = (fields: object) =>
  validateDaemonSet({
    ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata },
    spec: { ...spec, updateStrategy: { type: 'OnDelete' }, ...fields },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  });
const statefulSet = (updateStrategy: object) =>
  validateStatefulSet({
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata },
    spec: { ...spec, serviceName: 's', podManagementPolicy: 'Parallel', updateStrategy },
    status: { replicas: 0 },
  });

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
  ]);
});
