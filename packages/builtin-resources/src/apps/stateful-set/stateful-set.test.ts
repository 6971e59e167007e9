import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { type FieldError, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { expect, test } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../../core/pod-spec/pod-features.js';
import { statefulSetStrategies } from './strategy.js';
import { validateStatefulSet, validateStatefulSetStatusUpdate, validateStatefulSetUpdate } from './validation.js';

type Spec = StatefulSet['spec'];

const LABELS = { app: 'a' };

function makeClaim(name: string, storage = '1Gi'): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    status: {},
  };
}

function makeSet(spec: Partial<Spec> = {}, mounts: readonly string[] = []): StatefulSet {
  const container = {
    name: 'c',
    image: 'i',
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    resources: {},
    volumeMounts: mounts.map((name) => ({ name, mountPath: `/${name}` })),
  };
  const template = {
    metadata: { labels: LABELS },
    spec: {
      containers: [container],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
      securityContext: {},
    },
  };
  return {
    metadata: { name: 's', namespace: 'n', resourceVersion: '1' },
    spec: {
      selector: { matchLabels: LABELS },
      serviceName: '',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate' },
      template,
      ...spec,
    },
    status: { replicas: 0 },
  } as unknown as StatefulSet;
}

const texts = (errors: readonly FieldError[]) => errors.map(fieldErrorMessage);

const created: ReadonlyArray<[name: string, set: StatefulSet, errors: readonly string[]]> = [
  ['without claims', makeSet(), []],
  ['a mount of a claim', makeSet({ volumeClaimTemplates: [makeClaim('data')] }, ['data']), []],
  [
    'a mount of nothing',
    makeSet({}, ['data']),
    ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"'],
  ],
  [
    'a claim without size',
    makeSet({
      volumeClaimTemplates: [makeClaim('a'), { ...makeClaim('b'), spec: { accessModes: [], resources: {} } }],
    }),
    [
      'spec.volumeClaimTemplates[1].spec.accessModes: Required value: at least 1 access mode is required',
      'spec.volumeClaimTemplates[1].spec.resources[storage]: Required value',
    ],
  ],
  ['two claims of one name', makeSet({ volumeClaimTemplates: [makeClaim('a'), makeClaim('a')] }), []],
];

test.each(created)('a new one: %s', (_name, set, errors) => {
  expect(texts(validateStatefulSet(set, DEFAULT_POD_FEATURES))).toEqual(errors);
});

test('an update tolerates existing faults of claims, service name and template', () => {
  const wrong = {
    volumeClaimTemplates: [{ ...makeClaim('a'), spec: { resources: {} } }],
    serviceName: 'Not.A_Label',
  };
  const old = makeSet(wrong, ['gone']);
  const scaled = makeSet({ ...wrong, replicas: 3 }, ['gone', 'gone-too']);
  expect(texts(validateStatefulSetUpdate(scaled, old, DEFAULT_POD_FEATURES))).toEqual([]);
});

/** With changes of the pod's spec, and labels or annotations of the template. */
function withPod(set: StatefulSet, changes: object, metadata: object = {}): StatefulSet {
  const template = structuredClone(set.spec.template);
  Object.assign(template.spec, changes);
  Object.assign(template.metadata, metadata);
  return { ...set, spec: { ...set.spec, template } };
}

test('a hostname and a subdomain are those of the controller', () => {
  expect(
    texts(validateStatefulSet(withPod(makeSet(), { hostname: 'A_b', subdomain: 'C_d' }), DEFAULT_POD_FEATURES)),
  ).toEqual([]);
});

const BAD_ANNOTATION = { annotations: { '-': '' } };
const annotationFault = (text: string) => text.startsWith('spec.template.annotations: Invalid value: "-"');

test('faults of the metadata of a template are reported twice, or once beside an old fault', () => {
  const bad = withPod(makeSet(), {}, BAD_ANNOTATION);
  const both = withPod(makeSet({}, ['gone']), {}, BAD_ANNOTATION);
  const reports = [
    validateStatefulSet(bad, DEFAULT_POD_FEATURES),
    validateStatefulSetUpdate(bad, makeSet(), DEFAULT_POD_FEATURES),
    validateStatefulSetUpdate(both, makeSet({}, ['gone']), DEFAULT_POD_FEATURES),
  ].map((errors) => texts(errors).map(annotationFault));
  expect(reports).toEqual([[true, true], [true, true], [true]]);
});

test('any fault of the old spec excuses the template', () => {
  const old = withPod(makeSet(), { activeDeadlineSeconds: 5n });
  const changed = makeSet({}, ['gone']);
  expect([
    texts(validateStatefulSetUpdate(changed, old, DEFAULT_POD_FEATURES)),
    texts(validateStatefulSetUpdate(changed, makeSet(), DEFAULT_POD_FEATURES)),
  ]).toEqual([[], ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "gone"']]);
});

test('validates a collision count after the metadata', () => {
  const set = (collisionCount: number, name: string) => ({
    ...makeSet(),
    metadata: { ...makeSet().metadata, name },
    status: { replicas: 0, collisionCount },
  });
  expect(validateStatefulSetStatusUpdate(set(1, 'a'), set(2, 'b')).map(({ field }) => field)).toEqual([
    'metadata.name',
    'status.collisionCount',
  ]);
});

test('an update cannot invalidate a template', () => {
  expect(texts(validateStatefulSetUpdate(makeSet({}, ['gone']), makeSet(), DEFAULT_POD_FEATURES))).toEqual([
    'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "gone"',
  ]);
});

test.each(['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'])('bounds %s', (field) => {
  const withStatus = (status: object) => ({ ...makeSet(), status: { replicas: 2, readyReplicas: 2, ...status } });
  const bounded = (count: number) =>
    texts(validateStatefulSetStatusUpdate(withStatus({ [field]: count }), withStatus({})));
  expect(bounded(2)).toEqual([]);
  expect(bounded(3)).toContain(`status.${field}: Invalid value: 3: cannot be greater than status.replicas`);
  expect(bounded(-1)).toContain(`status.${field}: Invalid value: -1: must be greater than or equal to 0`);
});

test('bounds availableReplicas by the ready ones', () => {
  const set = { ...makeSet(), status: { replicas: 5, readyReplicas: 2, availableReplicas: 3 } };
  expect(texts(validateStatefulSetStatusUpdate(set, set))).toEqual([
    'status.availableReplicas: Invalid value: 3: cannot be greater than status.readyReplicas',
  ]);
});

test('warns of fractional bytes in claims, under two paths', () => {
  const { main: strategy } = statefulSetStrategies({ maxUnavailable: true, pods: DEFAULT_POD_FEATURES });
  const set = makeSet({ volumeClaimTemplates: [makeClaim('a', '100m')], revisionHistoryLimit: -1 });
  const context = {} as never;
  const history =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  const fraction = 'fractional byte value "100m" is invalid, must be an integer';
  expect(strategy.warningsOnCreate?.(context, set)).toEqual([
    `spec.volumeClaimTemplates[0].resources.requests[storage]: ${fraction}`,
    history,
  ]);
  expect(strategy.warningsOnUpdate?.(context, set, set)).toEqual([
    `spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: ${fraction}`,
    history,
  ]);
});
