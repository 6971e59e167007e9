import type { Pod } from '@apiserver/api/core/v1';
import type { Status } from '@apiserver/apimachinery';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { beforeEach, describe, expect, it } from 'vitest';
import { PodStores, refusal } from '../../testing/pod-stores.js';
import { sentPod } from '../../testing/sent-pod.js';
import { DEFAULT_POD_FEATURES } from '../pod-spec/pod-features.js';
import { validatePodResize } from './resize-validation.js';

let pods: PodStores;
beforeEach(() => {
  pods = new PodStores();
});

describe('pods/resize', () => {
  const spec = {
    containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
    initContainers: [{ name: 'd', image: 'i' }],
  };
  const setResources = (resources: object) => (pod: Pod) => {
    const [container] = pod.spec.containers ?? [];
    if (container !== undefined) container.resources = resources;
  };

  it('changes only resources', async () => {
    await pods.create(spec);
    await pods.change('resize', (pod) => {
      setResources({ requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '3' } })(pod);
      pod.metadata.labels = {};
      pod.spec.activeDeadlineSeconds = 5;
      pod.status.phase = 'Failed';
    });
    const pod = await pods.current();
    expect({
      resources: pod?.spec.containers?.[0]?.resources,
      deadline: pod?.spec.activeDeadlineSeconds,
      labels: pod?.metadata.labels,
      phase: pod?.status.phase,
      generation: pod?.metadata.generation,
    }).toEqual({
      resources: { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '3' } },
      deadline: undefined,
      labels: { app: 'a' },
      phase: 'Pending',
      generation: 2,
    });
  });

  it.each([
    [
      'a request that goes',
      { requests: { cpu: '1' } },
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
    ],
    [
      'other resources',
      { requests: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' } },
      'spec: Forbidden: only cpu and memory resources are mutable',
    ],
    [
      'another class of service',
      { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
  ])('refuses %s', async (_what, resources, message) => {
    await pods.create({ containers: spec.containers });
    expect(await refusal(pods.change('resize', setResources(resources)))).toMatchObject({
      code: 422,
      message: `Pod "p" is invalid: ${message}`,
    });
  });

  it('refuses a pod on a node without support', async () => {
    await pods.create({ ...spec, nodeName: 'n' });
    const state = { running: { startedAt: '2030-01-01T00:00:00Z' } };
    const container = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state, lastState: {} };
    await pods.change('status', (pod) => {
      pod.status.containerStatuses = [container];
    });
    const wanted = setResources({ requests: { cpu: '2', memory: '1Gi' } });
    expect(await refusal(pods.change('resize', wanted))).toMatchObject({
      message: 'Pod "p" is invalid: spec: Forbidden: Pod running on node without support for resize',
    });
    await pods.change('status', (pod) => {
      pod.status.containerStatuses = [{ ...container, resources: {} }];
    });
    await pods.change('resize', wanted);
    expect((await pods.current())?.spec.containers?.[0]?.resources.requests?.['cpu']).toBe('2');
  });

  it.each([
    [
      'a static pod',
      { nodeName: 'n' },
      { annotations: { 'kubernetes.io/config.mirror': 'x' } },
      'static pods cannot be resized',
    ],
    ['a pod for Windows', { os: { name: 'windows' } }, {}, 'windows pods cannot be resized'],
  ])('refuses %s', async (_what, more, metadata, why) => {
    await pods.create({ ...spec, ...more }, metadata);
    const { message = '' } = (await refusal(pods.change('resize', setResources({ requests: { cpu: '2' } })))) as Status;
    expect(message).toBe(`Pod "p" is invalid: []: Forbidden: ${why}`);
  });

  it('refuses init containers that would have to restart', async () => {
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    const sidecar = { name: 'd', image: 'i', restartPolicy: 'Always', resizePolicy };
    await pods.create({ ...spec, initContainers: [sidecar] });
    await pods.change('resize', (pod) => {
      const [container] = pod.spec.initContainers ?? [];
      if (container !== undefined) container.resources = { requests: { cpu: '1' } };
    });
    expect((await pods.current())?.spec.initContainers?.[0]?.resources).toEqual({ requests: { cpu: '1' } });
  });
});

describe('validatePodResize', () => {
  const pod = (of: object) => sentPod(of, {}, {});
  const init = (more: object) => ({ name: 'n', image: 'i', ...more });
  const sized = (cpu: string) => ({ resources: { requests: { cpu } } });
  const RESTARTS =
    'spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
  const restartingForBoth = {
    resizePolicy: ['cpu', 'memory'].map((resourceName) => ({ resourceName, restartPolicy: 'RestartContainer' })),
  };
  const restarting = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };

  it.each<[string, object, object, readonly string[]]>([
    [
      'of a container',
      { containers: [{ name: 'c', image: 'i', ...sized('1') }] },
      { containers: [{ name: 'c', image: 'i', ...sized('2') }] },
      [],
    ],
    [
      'that changes an image',
      { containers: [{ name: 'c', image: 'i', ...sized('1') }] },
      { containers: [{ name: 'c', image: 'j', ...sized('1') }] },
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'of a sidecar',
      { initContainers: [init({ restartPolicy: 'Always', ...restarting, ...sized('1') })] },
      { initContainers: [init({ restartPolicy: 'Always', ...restarting, ...sized('2') })] },
      [],
    ],
    ['of an init container', { initContainers: [init(sized('1'))] }, { initContainers: [init(sized('2'))] }, []],
    [
      'of an init container that would begin again',
      { initContainers: [init({ ...restarting, ...sized('1') })] },
      { initContainers: [init({ ...restarting, ...sized('2') })] },
      [
        'spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
      ],
    ],
    [
      'that changes the image of an init container',
      { initContainers: [init(sized('1'))] },
      { initContainers: [init({ ...sized('1'), image: 'j' })] },
      ['spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable'],
    ],
    [
      'of an init container that would begin again for two reasons',
      { initContainers: [init({ ...restartingForBoth, ...sized('1') })] },
      { initContainers: [init({ ...restartingForBoth, ...sized('2') })] },
      [RESTARTS, RESTARTS],
    ],
    [
      'that also changes another field is refused for its first faults only',
      { containers: [{ name: 'c', image: 'i' }] },
      { containers: [{ name: 'c', image: 'j' }], hostNetwork: true },
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'that removes resources of the pod, and a container',
      { resources: { limits: { cpu: '1' } }, containers: [{ name: 'c', image: 'i' }, init({})] },
      { resources: { limits: { memory: '1Gi' } }, containers: [{ name: 'c', image: 'i' }] },
      [
        'spec.resources.requests: Forbidden: pod-level resource requests cannot be removed',
        'spec.resources.limits: Forbidden: pod-level resource limits cannot be removed',
        'spec.containers: Forbidden: containers may not be added or removed on resize',
      ],
    ],
    [
      'that adds empty resources of the pod',
      { containers: [{ name: 'c', image: 'i' }] },
      { containers: [{ name: 'c', image: 'i' }], resources: {} },
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
  ])('%s', (_what, before, after, faults) => {
    const errors = validatePodResize(pod(after), pod(before), DEFAULT_POD_FEATURES).map((error) =>
      aggregateFieldErrors([error]),
    );
    expect(errors.map((error) => error.split('\n', 1)[0])).toEqual(faults);
  });
});
