import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from '@apiserver/api/core/v1';
import { describe, expect, it } from 'vitest';
import { objectAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { runPlugin } from '../../testing/run-plugin.js';
import { container, pod } from '../../testing/sample-objects.js';
import { limitRanger } from './limit-ranger.js';

function limitRange(...limits: LimitRangeItem[]): LimitRange {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l', namespace: 'ns' }, spec: { limits } };
}

const run = (object: Pod | PersistentVolumeClaim, ...limits: LimitRangeItem[]) => {
  const resource = object.kind === 'Pod' ? 'pods' : 'persistentvolumeclaims';
  const plugin = limitRanger(testPluginDependencies({ limitranges: [limitRange(...limits)] }));
  return runPlugin(plugin, objectAttributes(resource, object));
};

describe('defaults', () => {
  it('are set on containers without amounts, and noted', async () => {
    const outcome = await run(
      pod({
        initContainers: [container({ name: 'i', resources: { limits: { cpu: '2' } } })],
        containers: [container(), container({ name: 'd', resources: { requests: { cpu: '1', memory: '1Gi' } } })],
      }),
      { type: 'Container', default: { memory: '2Gi', cpu: '3' }, defaultRequest: { cpu: '100m', memory: '1Mi' } },
      { type: 'Pod', default: { cpu: '9' } },
    );
    const limits = { memory: '2Gi', cpu: '3' };
    expect(outcome).toMatchObject({
      object: {
        metadata: {
          annotations: {
            'kubernetes.io/limit-ranger':
              'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c; cpu, memory limit for container d; cpu, memory request for init container i; memory limit for init container i',
          },
        },
        spec: {
          initContainers: [
            { resources: { requests: { cpu: '100m', memory: '1Mi' }, limits: { memory: '2Gi', cpu: '2' } } },
          ],
          containers: [
            { resources: { requests: { cpu: '100m', memory: '1Mi' }, limits } },
            { resources: { requests: { cpu: '1', memory: '1Gi' }, limits } },
          ],
        },
      },
    });
  });

  it('leave a complete pod unchanged', async () => {
    expect(await run(pod(), { type: 'Container' })).toEqual({ object: pod() });
  });
});

const withResources = (requests: Record<string, string>, limits: Record<string, string> = {}): Partial<PodSpec> => ({
  containers: [container({ resources: { requests, limits } })],
});

describe('bounds', () => {
  it.each<[string, LimitRangeItem, Partial<PodSpec>, string]>([
    [
      'within',
      { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } },
      withResources({ cpu: '1' }, { cpu: '2' }),
      '',
    ],
    [
      'no request',
      { type: 'Container', min: { cpu: '1' } },
      {},
      'minimum cpu usage per Container is 1.  No request is specified',
    ],
    [
      'a small request',
      { type: 'Container', min: { cpu: '1' } },
      withResources({ cpu: '999m' }),
      'minimum cpu usage per Container is 1, but request is 999m',
    ],
    [
      'a small limit',
      { type: 'Container', min: { cpu: '1' } },
      withResources({ cpu: '1' }, { cpu: '999m' }),
      'minimum cpu usage per Container is 1, but limit is 999m',
    ],
    [
      'no limit',
      { type: 'Container', max: { cpu: '1' } },
      {},
      'maximum cpu usage per Container is 1.  No limit is specified',
    ],
    [
      'a big limit',
      { type: 'Container', max: { cpu: '1' } },
      withResources({}, { cpu: '1001m' }),
      'maximum cpu usage per Container is 1, but limit is 1001m',
    ],
    [
      'a big request',
      { type: 'Container', max: { cpu: '1' } },
      withResources({ cpu: '2' }, { cpu: '1' }),
      'maximum cpu usage per Container is 1, but request is 2',
    ],
    [
      'no ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      withResources({}, { cpu: '1' }),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      'no limit for a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      withResources({ cpu: '1' }),
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
    [
      'a big ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } },
      withResources({ cpu: '1' }, { cpu: '2' }),
      'cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000',
    ],
    [
      'a ratio between two decimals',
      { type: 'Container', maxLimitRequestRatio: { cpu: '1' } },
      withResources({ cpu: '128' }, { cpu: '129' }),
      'cpu max limit to request ratio per Container is 1, but provided ratio is 1.007812',
    ],
    [
      'amounts beyond thousandths',
      { type: 'Container', max: { memory: '9Ei' } },
      withResources({}, { memory: '7Ei' }),
      '',
    ],
    [
      'an init container',
      { type: 'Container', max: { cpu: '1' } },
      {
        initContainers: [container({ resources: { limits: { cpu: '2' } } })],
        containers: [container({ resources: { limits: { cpu: '1' } } })],
      },
      'maximum cpu usage per Container is 1, but limit is 2',
    ],
    [
      'several',
      { type: 'Container', min: { memory: '1Gi', cpu: '1' } },
      withResources({ cpu: '1m' }),
      '[minimum cpu usage per Container is 1, but request is 1m, minimum memory usage per Container is 1Gi.  No request is specified]',
    ],
    [
      'a pod by its sum',
      { type: 'Pod', max: { cpu: '3' } },
      {
        containers: [
          container({ resources: { limits: { cpu: '2' } } }),
          container({ resources: { limits: { cpu: '2' } } }),
        ],
      },
      'maximum cpu usage per Pod is 3, but limit is 4',
    ],
    [
      'a pod by its greediest moment',
      { type: 'Pod', max: { cpu: '3' } },
      {
        initContainers: [
          container({ restartPolicy: 'Always', resources: { limits: { cpu: '1' } } }),
          container({ resources: { limits: { cpu: '3' } } }),
        ],
        containers: [container({ resources: { limits: { cpu: '2' } } })],
      },
      'maximum cpu usage per Pod is 3, but limit is 4',
    ],
    [
      'a pod by its own resources',
      { type: 'Pod', max: { cpu: '3' } },
      { resources: { limits: { cpu: '5' } } },
      'maximum cpu usage per Pod is 3, but limit is 5',
    ],
  ])('of a pod: %s', async (_what, item, spec, fault) => {
    const outcome = await run(pod(spec), item);
    expect(outcome).toEqual(fault === '' ? { object: pod(spec) } : { refused: `pods "p" is forbidden: ${fault}` });
  });

  it.each([
    [{ storage: '1Mi' }, 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
    [{ storage: '5Gi' }, 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 5Gi'],
    [{ storage: '2Gi' }, ''],
  ])('of a claim: %j', async (requests, fault) => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'ns' },
      spec: { resources: { requests } },
      status: {},
    } satisfies PersistentVolumeClaim;
    const item = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } };
    expect(await run(claim, item)).toEqual(
      fault === '' ? { object: claim } : { refused: `persistentvolumeclaims "c" is forbidden: ${fault}` },
    );
  });
});

it.each([
  ['pods', 'CREATE', true],
  ['pods', 'UPDATE', false],
  ['pods/resize', 'UPDATE', true],
  ['pods/resize', 'CREATE', false],
  ['pods/status', 'UPDATE', false],
  ['persistentvolumeclaims', 'CREATE', true],
  ['persistentvolumeclaims', 'UPDATE', true],
  ['persistentvolumeclaims', 'DELETE', false],
  ['persistentvolumeclaims/status', 'UPDATE', false],
  ['configmaps', 'CREATE', false],
  ['pods.example.com', 'CREATE', false],
] as const)('handles %s: %s %s', (resource, operation, handled) => {
  const { scope } = objectAttributes(resource, pod());
  const plugin = limitRanger(testPluginDependencies());
  expect([plugin.name, plugin.handles(operation, scope)]).toEqual(['LimitRanger', handled]);
});

it('sets no defaults on claims', async () => {
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'ns' },
    spec: { resources: {} },
    status: {},
  };
  expect(await run(claim, { type: 'Container', default: { cpu: '1' } })).toEqual({ object: claim });
});

it('does not check deletions', async () => {
  const plugin = limitRanger(testPluginDependencies({ limitranges: [limitRange({ type: 'Pod', max: { cpu: '1' } })] }));
  const oldObject = pod({}, { deletionTimestamp: '2030-01-01T00:00:00Z' });
  const resize = (old: Pod) => runPlugin(plugin, objectAttributes('pods/resize', pod(), { oldObject: old }));
  expect(await resize(oldObject)).toEqual({ object: pod() });
  expect(await resize(pod())).toMatchObject({ refused: expect.stringContaining('No limit is specified') });
});

describe('many amounts', () => {
  const resources = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, i) => [`example.com/r${i}`, '1']));
  const containers = (length: number) => Array.from({ length }, (_, i) => container({ name: `c${i}`, resources: {} }));

  it('are refused instead of multiplied', async () => {
    const outcome = await run(pod({ containers: containers(400) }), { type: 'Container', default: resources(251) });
    expect(outcome).toEqual({
      refused:
        'Request entity too large: the limit ranges of the namespace apply 100400 amounts to the containers of the pod, at most 100000 are allowed',
    });
  });

  it('are refused too if another plugin has added the containers', async () => {
    const limitranges = [limitRange({ type: 'Container', default: resources(251) })];
    const { validate } = limitRanger(testPluginDependencies({ limitranges }));
    const crowded = objectAttributes('pods', pod({ containers: containers(400) }));
    await expect(validate?.(crowded)).rejects.toThrow('apply 100400 amounts to the containers of the pod');
  });

  it('give a text of bounded length', async () => {
    const outcome = await run(pod({ containers: containers(400) }), { type: 'Container', min: resources(200) });
    const refused = 'refused' in outcome ? outcome.refused : '';
    expect([refused.length < 300_000, refused.slice(-16)]).toEqual([true, ' and 79000 more]']);
  });
});
