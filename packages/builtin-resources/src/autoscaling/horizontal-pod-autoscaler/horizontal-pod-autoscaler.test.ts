import type * as v1 from '@apiserver/api/autoscaling/v1';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from '@apiserver/api/autoscaling/v2';
import type { KubeObject } from '@apiserver/apimachinery';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { horizontalPodAutoscalers } from './index.js';

const context = testContext({ namespace: 'ns' });
const withFeatures = (...on: readonly string[]) => horizontalPodAutoscalers({ enabled: (name) => on.includes(name) });
const { strategy, columns, subresources, versions } = withFeatures('HPAConfigurableTolerance');
const [, version1] = versions;
const status = subresources['status']?.strategy ?? strategy;

const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const CPU: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const NO_STATUS: HorizontalPodAutoscalerStatus = { desiredReplicas: 0, currentMetrics: null };

function autoscaler(
  spec: Partial<HorizontalPodAutoscalerSpec> = {},
  state: HorizontalPodAutoscalerStatus = NO_STATUS,
): HorizontalPodAutoscaler {
  const made: HorizontalPodAutoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: { scaleTargetRef: TARGET, maxReplicas: 5, ...structuredClone(spec) },
    status: structuredClone(state),
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

it('defaults to the CPU metric and limited scaling', () => {
  expect(autoscaler().spec).toEqual({ scaleTargetRef: TARGET, minReplicas: 1, maxReplicas: 5, metrics: [CPU] });
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
  expect(autoscaler({ behavior }).spec.behavior).toEqual({
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    },
    scaleDown: {
      stabilizationWindowSeconds: 60,
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    },
  });
});

it('keeps empty policies without defaults, and refuses them', () => {
  const { spec, ...rest } = autoscaler({ behavior: { scaleUp: { policies: [] } } });
  expect(spec.behavior?.scaleUp?.policies).toEqual([]);
  expect(aggregateFieldErrors(strategy.validate(context, { ...rest, spec }))).toBe(
    'spec.behavior.scaleUp.policies: Required value: must specify at least one Policy',
  );
});

const ref = (fields: object) => ({ scaleTargetRef: { ...TARGET, ...fields } });
const metric = (fields: object): Partial<HorizontalPodAutoscalerSpec> => ({ metrics: [fields as MetricSpec] });
const of = (target: MetricTarget) => ({ metric: { name: 'm' }, target });
const AVERAGE = { type: 'AverageValue', averageValue: '1' };
const UP = 'spec.behavior.scaleUp';
const AT = 'spec.metrics[0]';
const TYPES = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"';

describe('validation', () => {
  it.each<[string, Partial<HorizontalPodAutoscalerSpec>, string]>([
    ['the smallest', {}, ''],
    [
      'one of everything',
      {
        metrics: [
          CPU,
          { type: 'Pods', pods: of(AVERAGE) },
          { type: 'External', external: of({ type: 'Value', value: '1' }) },
          {
            type: 'Object',
            object: { ...of({ type: 'Value', value: '1' }), describedObject: { kind: 'Service', name: 's' } },
          },
          {
            type: 'ContainerResource',
            containerResource: { name: 'memory', container: 'c', target: AVERAGE },
          },
        ],
        behavior: { scaleUp: { tolerance: '0' } },
      },
      '',
    ],
    [
      'no replicas',
      { minReplicas: 0, maxReplicas: 0 },
      '[spec.minReplicas: Invalid value: 0: must be greater than or equal to 1, spec.maxReplicas: Required value: must be set and greater than 0, spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas]',
    ],
    [
      'less at most than at least',
      { minReplicas: 3, maxReplicas: 2 },
      'spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`',
    ],
    [
      'a maximum below zero',
      { maxReplicas: -1 },
      '[spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1, spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`]',
    ],
    [
      'a target of no kind',
      ref({ kind: '', name: '' }),
      '[spec.scaleTargetRef.kind: Required value, spec.scaleTargetRef.name: Required value]',
    ],
    [
      'a target of no group',
      ref({ apiVersion: 'v1' }),
      'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
    ],
    ['a replication controller', ref({ apiVersion: 'v1', kind: 'ReplicationController' }), ''],
    [
      'a target of three parts',
      ref({ apiVersion: 'a/b/c' }),
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    [
      'a metric of no source',
      metric({ type: 'Resource' }),
      `${AT}.resource: Required value: must populate information for the given metric source`,
    ],
    [
      'a metric of another type',
      metric({ type: 'Weird', resource: { name: 'cpu', target: { type: 'Utilization' } } }),
      `[${AT}.type: Unsupported value: "Weird": ${TYPES}, ${AT}.resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization]`,
    ],
    [
      'a metric of two sources',
      metric({ type: 'Pods', pods: of(AVERAGE), external: of({ type: 'Value', value: '1' }) }),
      `${AT}.external: Forbidden: must populate the given metric source only`,
    ],
    [
      'targets of nothing',
      metric({ type: 'Pods', pods: { metric: { name: '' }, target: { type: 'x', value: '0' } } }),
      `[${AT}.pods.metric.name: Required value: must specify a metric name, ${AT}.pods.target.type: Invalid value: "x": must be either Utilization, Value, or AverageValue, ${AT}.pods.target.value: Invalid value: "0": must be positive, ${AT}.pods.target.averageValue: Required value: must specify a positive target averageValue]`,
    ],
    [
      'a container’s share and amount',
      metric({
        type: 'ContainerResource',
        containerResource: { name: 'x', container: 'C', target: { ...AVERAGE, averageUtilization: 0 } },
      }),
      expect.stringMatching(
        /name: Invalid value: "x": must be a standard resource for containers.*container: Invalid value: "C".*averageUtilization: Invalid value: 0: must be greater than 0, .*averageValue: Forbidden: may not set both a target raw value and a target utilization/,
      ),
    ],
    [
      'odd behavior',
      {
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 9999,
            selectPolicy: 'x',
            policies: [{ type: 'y', value: 0, periodSeconds: 4000 }],
            tolerance: '-1',
          },
        },
      },
      `[${UP}.stabilizationWindowSeconds: Invalid value: 9999: must be less than or equal to 3600, ${UP}.selectPolicy: Unsupported value: "x": supported values: "Disabled", "Max", "Min", ${UP}.policies[0].type: Unsupported value: "y": supported values: "Percent", "Pods", ${UP}.policies[0].value: Invalid value: 0: must be greater than zero, ${UP}.policies[0].periodSeconds: Invalid value: 4000: must be less than or equal to 1800, ${UP}.tolerance: Invalid value: "-1": must be greater than or equal to 0]`,
    ],
  ])('%s', (_what, spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, autoscaler(spec)))).toEqual(message);
  });

  it('tolerates what was accepted before', () => {
    const old = autoscaler({ minReplicas: 0, ...ref({ apiVersion: 'v1' }) });
    const update = { ...old, spec: { ...old.spec, maxReplicas: 9 } };
    expect(aggregateFieldErrors(strategy.validateUpdate(context, update, old))).toBe(
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    );
  });

  it.each([
    ['an unchanged target', {}, ''],
    [
      'another target of no group',
      { kind: 'ReplicaSet' },
      'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
    ],
    [
      'another version of no group',
      { apiVersion: 'v2' },
      'spec.scaleTargetRef.apiVersion: Invalid value: "v2": apiVersion must specify API group',
    ],
  ])('judges %s after a target of no group', (_what, change, message) => {
    const old = autoscaler(ref({ apiVersion: 'v1' }));
    const update = autoscaler(ref({ apiVersion: 'v1', ...change }));
    expect(aggregateFieldErrors(strategy.validateUpdate(context, update, old))).toBe(message);
  });

  it.each([
    ['Object', ''],
    [
      'Pods',
      'spec.metrics[0].object.describedObject.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ])('judges the version of an object after a faulty one of a metric of type %s', (type, message) => {
    const describing = (metricType: string, apiVersion: string): MetricSpec => ({
      type: metricType,
      object: {
        describedObject: { kind: 'Service', name: 's', apiVersion },
        target: { type: 'Value', value: '1' },
        metric: { name: 'hits' },
      },
    });
    const old = autoscaler({ metrics: [describing(type, 'd/e/f')] });
    const update = autoscaler({ metrics: [describing('Object', 'a/b/c')] });
    expect(aggregateFieldErrors(strategy.validateUpdate(context, update, old))).toBe(message);
  });

  it('refuses a negative replica count', () => {
    const written = autoscaler({}, { ...NO_STATUS, currentReplicas: -1, desiredReplicas: -2 });
    expect(aggregateFieldErrors(status.validateUpdate(context, written, autoscaler()))).toBe(
      '[status.currentReplicas: Invalid value: -1: must be greater than or equal to 0, status.desiredReplicas: Invalid value: -2: must be greater than or equal to 0]',
    );
  });
});

it('separates updates of status and spec', () => {
  const seen = { ...NO_STATUS, desiredReplicas: 3 };
  const made = autoscaler({}, seen);
  void strategy.prepareForCreate?.(context, made);
  expect(made.status).toEqual(NO_STATUS);
  const update = autoscaler({ maxReplicas: 9 });
  void strategy.prepareForUpdate?.(context, update, autoscaler({}, seen));
  expect(update).toEqual(autoscaler({ maxReplicas: 9 }, seen));
  const written = autoscaler({ maxReplicas: 9 }, seen);
  void status.prepareForUpdate?.(context, written, autoscaler());
  expect(written).toEqual(autoscaler({}, seen));
});

describe('version 1', () => {
  const asV1 = (object: HorizontalPodAutoscaler) =>
    version1?.fromHub?.(object) as KubeObject as v1.HorizontalPodAutoscaler;
  const asV2 = (object: v1.HorizontalPodAutoscaler) =>
    version1?.toHub?.(object as KubeObject as HorizontalPodAutoscaler);
  const PREFIX = 'autoscaling.alpha.kubernetes.io';
  const described = { kind: 'Service', name: 's', apiVersion: 'v1' };
  const selector = { matchLabels: { a: '<b>' } };
  const METRICS: MetricSpec[] = [
    { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    { type: 'Pods', pods: { metric: { name: 'qps', selector }, target: { type: 'AverageValue', averageValue: '1k' } } },
    {
      type: 'Object',
      object: { describedObject: described, target: { type: 'Value', value: '10' }, metric: { name: 'hits' } },
    },
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 }, container: 'c' },
    },
    { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '2' } } },
  ];
  const CURRENT: MetricStatus[] = [
    { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '5m', averageUtilization: 33 } } },
    { type: 'Pods', pods: { metric: { name: 'qps' }, current: { averageValue: '1' } } },
    { type: 'Object', object: { metric: { name: 'hits' }, current: { value: '1' }, describedObject: described } },
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', current: { averageValue: '1', averageUtilization: 5 }, container: 'c' },
    },
    { type: 'External', external: { metric: { name: 'queue' }, current: { value: '1', averageValue: '2' } } },
  ];

  it('writes all other fields to annotations, and reads them back', () => {
    const conditions = [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' }];
    const whole = autoscaler(
      {
        metrics: [...METRICS, CPU],
        behavior: { scaleUp: { policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] } },
      },
      { desiredReplicas: 2, currentReplicas: 1, observedGeneration: 1, currentMetrics: CURRENT, conditions },
    );
    whole.metadata.annotations = { own: 'yes', [`${PREFIX}/metrics`]: 'stale' };
    const first = asV1(whole);
    expect(first.spec).toEqual({
      scaleTargetRef: TARGET,
      minReplicas: 1,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 80,
    });
    expect(first.status).toEqual({
      observedGeneration: 1,
      currentReplicas: 1,
      desiredReplicas: 2,
      currentCPUUtilizationPercentage: 33,
    });
    expect(first.metadata.annotations).toEqual({
      own: 'yes',
      [`${PREFIX}/metrics`]:
        '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"1k","selector":{"matchLabels":{"a":"\\u003cb\\u003e"}}}},{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"hits","targetValue":"10"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":5,"container":"c"}},{"type":"External","external":{"metricName":"queue","targetAverageValue":"2"}}]',
      [`${PREFIX}/current-metrics`]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":33,"currentAverageValue":"5m"}},{"type":"Pods","pods":{"metricName":"qps","currentAverageValue":"1"}},{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"hits","currentValue":"1"}},{"type":"ContainerResource","containerResource":{"name":"cpu","currentAverageUtilization":5,"currentAverageValue":"1","container":"c"}},{"type":"External","external":{"metricName":"queue","currentValue":"1","currentAverageValue":"2"}}]',
      [`${PREFIX}/conditions`]: '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2030-01-01T00:00:00Z"}]',
      [`${PREFIX}/behavior`]:
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":60}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}',
    });
    expect(asV2(first)).toEqual({ ...whole, metadata: { ...whole.metadata, annotations: { own: 'yes' } } });
  });

  it.each<[string, MetricTarget]>([
    ['an average', { type: 'AverageValue', averageValue: '1' }],
    ['an average and a total', { type: 'AverageValue', value: '5', averageValue: '1' }],
    ['a total', { type: 'Value', value: '5' }],
  ])('reads back a metric of an object with %s, which stays valid', (_what, target) => {
    const metrics = [{ type: 'Object', object: { describedObject: described, target, metric: { name: 'hits' } } }];
    const whole = autoscaler({ metrics }, { ...NO_STATUS, currentReplicas: 0 });
    const back = asV2(asV1(whole));
    expect(back).toEqual(whole);
    expect(strategy.validateUpdate(context, back ?? autoscaler(), whole)).toEqual([]);
  });

  it('keeps an empty policy of an annotation, which validation refuses', () => {
    const first = asV1(autoscaler());
    first.metadata.annotations = { [`${PREFIX}/behavior`]: '{"ScaleUp":{"SelectPolicy":"","Tolerance":null}}' };
    expect(asV2(first)?.spec.behavior?.scaleUp).toEqual({ selectPolicy: '' });
  });

  it('reads annotations regardless of the case of names', () => {
    const metrics = METRICS.slice(0, 2);
    const behavior = { scaleDown: { policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }], tolerance: '1' } };
    const first = asV1(autoscaler({ metrics, behavior }, { ...NO_STATUS, currentReplicas: 0 }));
    const { annotations = {} } = first.metadata;
    for (const [name, text] of Object.entries(annotations)) {
      annotations[name] = text.replace(/"(\w)(\w*)":/g, (_, head, tail) => `"${swapCase(head)}${tail}":`);
    }
    const selected = annotations[`${PREFIX}/metrics`]?.replace('"A":', '"a":') ?? '';
    expect(selected).toContain('"MetricName":');
    annotations[`${PREFIX}/metrics`] = selected;
    expect(annotations[`${PREFIX}/behavior`]).toContain('"stabilizationWindowSeconds":');
    const read = asV2(first)?.spec;
    expect(read?.metrics).toEqual(metrics);
    expect(read?.behavior?.scaleDown).toEqual({ selectPolicy: 'Max', ...behavior.scaleDown });
  });

  it('defaults to 80 percent of the CPU', () => {
    const { metadata, kind } = autoscaler();
    const first: v1.HorizontalPodAutoscaler = {
      apiVersion: 'autoscaling/v1',
      kind,
      metadata,
      spec: { scaleTargetRef: TARGET, maxReplicas: 5 },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    };
    version1?.applyDefaults?.(first as KubeObject as HorizontalPodAutoscaler);
    expect(asV2(first)).toEqual(autoscaler({}, { ...NO_STATUS, currentReplicas: 0 }));
    const annotations = {
      [`${PREFIX}/metrics`]: '[{',
      [`${PREFIX}/behavior`]: '{"ScaleUp":3}',
      [`${PREFIX}/conditions`]: '7',
    };
    const odd = { ...first, metadata: { ...metadata, annotations } };
    expect(asV2(odd)).toEqual(autoscaler({}, { ...NO_STATUS, currentReplicas: 0 }));
  });
});

it('shows its targets', () => {
  const now = rowTime(0);
  const cells = (object: HorizontalPodAutoscaler) => columns.map((column) => column.cell(object, now));
  expect(cells(autoscaler())).toEqual(['a', 'Deployment/d', 'cpu: <unknown>/80%', '1', 5, 0, '<unknown>']);
  const metrics: MetricSpec[] = [
    CPU,
    { type: 'External', external: of({ type: 'AverageValue', averageValue: '2' }) },
    { type: 'Pods', pods: of(AVERAGE) },
  ];
  const currentMetrics = [
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 33 } } },
    { type: 'External', external: { metric: { name: 'm' }, current: {} } },
  ];
  expect(cells(autoscaler({ metrics }, { ...NO_STATUS, currentMetrics, currentReplicas: 2 }))).toEqual([
    ...['a', 'Deployment/d', 'cpu: 33%/80%, <unknown>/2 (avg) + 1 more...', '1', 5, 2, '<unknown>'],
  ]);
});

function swapCase(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}

describe('features', () => {
  const EXTERNAL: MetricSpec = {
    type: 'External',
    external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } },
  };
  const zero = () => autoscaler({ minReplicas: 0, metrics: [EXTERNAL] });
  const LEAST = 'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1';

  it('HPAScaleToZero allows no replicas', () => {
    const off = withFeatures().strategy;
    const on = withFeatures('HPAScaleToZero').strategy;
    expect([
      aggregateFieldErrors(off.validate(context, zero())),
      aggregateFieldErrors(on.validate(context, zero())),
      aggregateFieldErrors(off.validateUpdate(context, zero(), autoscaler())),
      aggregateFieldErrors(on.validateUpdate(context, zero(), autoscaler())),
      aggregateFieldErrors(off.validateUpdate(context, zero(), zero())),
      aggregateFieldErrors(on.validate(context, autoscaler({ minReplicas: 0 }))),
    ]).toEqual([
      LEAST,
      '',
      LEAST,
      '',
      '',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ]);
  });

  it('HPAConfigurableTolerance keeps tolerances, and a stored one keeps both', async () => {
    const tolerant = () => autoscaler({ behavior: { scaleDown: { tolerance: '1' }, scaleUp: { tolerance: '2' } } });
    const kept = async (old: HorizontalPodAutoscaler | undefined, ...on: readonly string[]) => {
      const { prepareForCreate, prepareForUpdate } = withFeatures(...on).strategy;
      const sent = tolerant();
      if (old === undefined) await prepareForCreate?.(context, sent);
      else await prepareForUpdate?.(context, sent, old);
      const { scaleDown, scaleUp } = sent.spec.behavior ?? {};
      return [scaleDown?.tolerance, scaleUp?.tolerance];
    };
    const half = autoscaler({ behavior: { scaleUp: { tolerance: '2' } } });
    expect([
      await kept(undefined),
      await kept(autoscaler()),
      await kept(half),
      await kept(undefined, 'HPAConfigurableTolerance'),
    ]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      ['1', '2'],
      ['1', '2'],
    ]);
  });
});
