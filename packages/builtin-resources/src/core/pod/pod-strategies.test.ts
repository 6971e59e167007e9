import type { Pod } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { sentPod } from '../../testing/sent-pod.js';
import { DEFAULT_POD_FEATURES } from '../pod-spec/pod-features.js';
import { podDefinition } from './index.js';
import { withGatedCondition } from './prepare.js';

const context = testContext({ namespace: 'ns' });
const { strategy: podStrategy, subresources } = podDefinition(DEFAULT_POD_FEATURES);

function strategyOf(subresource: string): Strategy<Pod> {
  const found = subresources[subresource];
  if (found === undefined) throw new Error(`pods have no ${subresource}`);
  return found.strategy;
}

const podStatusStrategy = strategyOf('status');
const podResizeStrategy = strategyOf('resize');

function pod(spec: object = {}, status: object = {}, annotations: Readonly<Record<string, string>> = {}): Pod {
  return sentPod(spec, status, annotations);
}

async function updated(strategy: Strategy<Pod>, sent: Pod, old: Pod): Promise<Pod> {
  await strategy.prepareForUpdate?.(context, sent, old);
  return sent;
}

it('warns of a pod only on create', () => {
  const odd = pod({ terminationGracePeriodSeconds: -1 });
  odd.metadata.generation = 2;
  expect(podStrategy.warningsOnCreate?.(context, odd)).toHaveLength(1);
  expect(podStrategy.warningsOnUpdate?.(context, odd, pod()) ?? []).toEqual([]);
});

it('adds the condition of a gated pod, with its time', async () => {
  const { strategy } = withGatedCondition(podDefinition(DEFAULT_POD_FEATURES), {
    now: () => Date.UTC(2030, 0, 2, 3, 4, 5),
  });
  const gated = pod({ schedulingGates: [{ name: 'a.io/a' }] });
  await strategy.prepareForCreate?.(context, gated);
  expect(gated.status.conditions).toEqual([
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
      lastProbeTime: null,
      lastTransitionTime: '2030-01-02T03:04:05Z',
    },
  ]);
  const free = pod();
  await strategy.prepareForCreate?.(context, free);
  expect(free.status.conditions).toBeUndefined();
});

it('merges the labels of a pod into selectors, not the members of every JavaScript object', async () => {
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
  const sent = pod({
    topologySpreadConstraints: [{ ...spread, matchLabelKeys: ['constructor', 'app'], labelSelector: {} }],
  });
  sent.metadata.labels = { app: 'a' };
  await podStrategy.prepareForCreate?.(context, sent);
  expect(sent.spec.topologySpreadConstraints?.[0]?.labelSelector).toEqual({
    matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }],
  });
});

describe('an AppArmor annotation', () => {
  const KEY = 'container.apparmor.security.beta.kubernetes.io/c';
  const WARNING = `metadata.annotations[${KEY}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
  interface Case {
    readonly annotation: string;
    readonly ofPod?: object;
    readonly copied?: object;
    readonly warns?: boolean;
  }
  const podProfile = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } };
  it.each<[string, Case]>([
    ['becomes a field', { annotation: 'runtime/default', copied: { type: 'RuntimeDefault' } }],
    [
      'that repeats the profile of the pod is left alone',
      { annotation: 'runtime/default', ofPod: podProfile, warns: false },
    ],
    [
      'with another profile than the pod becomes a field',
      { annotation: 'unconfined', ofPod: podProfile, copied: { type: 'Unconfined' } },
    ],
    ['that is invalid only leads to a warning', { annotation: 'odd' }],
    ['with an invalid name only leads to a warning', { annotation: 'localhost/ ' }],
  ])('%s', async (_what, { annotation, ofPod = {}, copied, warns = true }) => {
    const warnings: string[] = [];
    const warning = Object.assign(Object.create(context), {
      warnings: { warn: (text: string) => void warnings.push(text) },
    }) as typeof context;
    const sent = pod(ofPod, {}, { [KEY]: annotation });
    await podStrategy.prepareForCreate?.(warning, sent);
    expect(sent.spec.containers?.[0]?.securityContext?.appArmorProfile).toEqual(copied);
    expect(warnings).toEqual(warns ? [WARNING] : []);
  });
});

describe('a status', () => {
  const mounted = (volumeMount: object) => ({
    containerStatuses: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v', ...volumeMount }] }],
  });
  const digest = mounted({ volumeStatus: { image: { imageRef: 'r' } } });
  const claimed = { nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'n' }] };
  const ready = (...generations: (number | undefined)[]) => ({
    conditions: generations.map((observedGeneration) => ({ type: 'Ready', status: 'True', observedGeneration })),
  });

  it.each<[string, object, object, object]>([
    ['keeps the stored class', {}, { qosClass: 'Burstable' }, { qosClass: 'Burstable' }],
    ['gets no class', {}, {}, { qosClass: undefined }],
    ['keeps generations in order', ready(undefined, undefined, 9), ready(3, 4), ready(3, 4, 9)],
    ['loses the digests of images', digest, {}, mounted({})],
    ['keeps the digests of images if there are some', digest, digest, digest],
    ['loses claims for node resources', claimed, {}, { nodeAllocatableResourceClaimStatuses: undefined }],
    ['keeps claims for node resources if there are some', claimed, claimed, claimed],
  ])('%s', async (_what, sent, old, expected) => {
    const { status } = await updated(podStatusStrategy, pod({}, sent), pod({}, old));
    expect(status).toEqual(expect.objectContaining(pod({}, expected).status));
    for (const field of Object.keys(expected)) {
      expect(Reflect.get(status, field)).toEqual(Reflect.get(pod({}, expected).status, field));
    }
  });

  it('with sloppy addresses leads to warnings', () => {
    const sloppy = pod({}, { podIPs: [{ ip: '010.0.0.1' }], hostIPs: [{ ip: '010.0.0.2' }] });
    expect(podStatusStrategy.warningsOnUpdate?.(context, sloppy, pod())).toEqual([
      'status.podIPs[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
      'status.hostIPs[0].ip: non-standard IP address "010.0.0.2" is invalid: use "10.0.0.2"',
    ]);
  });
});

describe('a resize', () => {
  const of = (...names: string[]) => names.map((name) => ({ name, image: 'i', resources: { requests: { cpu: '1' } } }));
  it.each([
    [
      'adds a container',
      { containers: of('a') },
      ['spec.containers: Forbidden: containers may not be added or removed on resize'],
    ],
    [
      'removes an init container',
      { initContainers: [] },
      ['spec.initContainers: Forbidden: initContainers may not be added or removed on resize'],
    ],
    [
      'swaps containers',
      { containers: of('b', 'a') },
      [
        'spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize',
        'spec.containers[1].name: Forbidden: containers may not be renamed or reordered on resize',
      ],
    ],
    ['changes nothing else', { restartPolicy: 'Never' }, []],
  ])('that %s', async (_what, change, faults) => {
    const spec = { containers: of('a', 'b'), initContainers: of('i') };
    const old = pod(spec, { qosClass: 'Burstable' });
    const sent = await updated(podResizeStrategy, pod({ ...spec, ...change }), old);
    const errors = podResizeStrategy.validateUpdate(context, sent, old);
    expect(errors.map((error) => aggregateFieldErrors([error]))).toEqual(faults);
  });
});

it('judges annotations twice where ephemeral containers are added', () => {
  const annotations = { 'container.apparmor.security.beta.kubernetes.io/other': 'runtime/default' };
  const made = pod({}, {}, annotations);
  const faults = strategyOf('ephemeralcontainers').validateUpdate(context, made, structuredClone(made));
  expect(faults.map(({ detail }) => detail)).toEqual(['container not found', 'container not found']);
});

it('prints no differences of ephemeral containers that are long together', () => {
  const made = (image: string) => {
    const args = Array.from({ length: 3_000 }, () => 'a');
    return pod({ ephemeralContainers: ['a', 'b', 'c', 'd'].map((name) => ({ name, image, args })) });
  };
  const faults = strategyOf('ephemeralcontainers').validateUpdate(context, made('j'), made('i'));
  expect(faults.map(({ detail }) => detail).filter((detail) => detail.includes('existing'))).toEqual(
    ['a', 'b', 'c', 'd'].map(
      (name) =>
        `existing ephemeral containers "${name}" may not be changed\n(the difference is too long to be printed)\n`,
    ),
  );
});
