import type { Binding } from '@apiserver/api/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';
import { PodStores, refusal, SUCCESS } from '../../testing/pod-stores.js';
import { DEFAULT_POD_FEATURES } from '../pod-spec/pod-features.js';

let pods: PodStores;
beforeEach(() => {
  pods = new PodStores();
});

describe('pods/binding', () => {
  const bind = (changes: Partial<Binding> = {}, options = {}, name = 'p') => {
    const order: Binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n' },
      ...changes,
    };
    return pods.bind(order, options, name);
  };

  it.each<[object, string | undefined, object]>([
    [{}, undefined, { app: 'a', zone: 'z' }],
    [{ ClearingNominatedNodeNameAfterBinding: false, PodTopologyLabelsAdmission: false }, 'm', { app: 'a' }],
  ])('with the features %j', async (features, nominated, labels) => {
    pods = new PodStores({ ...DEFAULT_POD_FEATURES, ...features });
    await pods.create();
    await pods.change('status', (pod) => void Object.assign(pod.status, { nominatedNodeName: 'm' }));
    await bind({ metadata: { name: 'p', labels: { zone: 'z' } } });
    const pod = await pods.current();
    expect([pod?.status.nominatedNodeName, pod?.metadata.labels]).toEqual([nominated, labels]);
  });

  it("assigns a node to a pod, with the scheduler's annotations", async () => {
    const { uid = '' } = (await pods.create({}, { annotations: { a: '1' } })).metadata;
    const metadata = { name: 'p', uid, annotations: { a: '2' }, labels: { zone: 'z' } };
    expect((await bind({ metadata }))?.object).toEqual(SUCCESS);
    const pod = await pods.current();
    expect({
      node: pod?.spec.nodeName,
      annotations: pod?.metadata.annotations,
      labels: pod?.metadata.labels,
      generation: pod?.metadata.generation,
      conditions: pod?.status.conditions,
    }).toEqual({
      node: 'n',
      annotations: { a: '2' },
      labels: { app: 'a', zone: 'z' },
      generation: 1,
      conditions: [
        { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: expect.any(String) },
      ],
    });
  });

  it('writes nothing in a dry run', async () => {
    await pods.create();
    expect((await bind({}, { dryRun: ['All'] }))?.object).toEqual(SUCCESS);
    expect((await pods.current())?.spec.nodeName).toBeUndefined();
  });

  it.each([
    [{ target: { name: '' } }, 500, 'target.name: Required value'],
    [
      { target: { kind: 'Pod', name: 'n' } },
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [{ metadata: { name: 'q' } }, 400, 'name in URL does not match name in Binding object'],
  ])('refuses %j', async (changes, code, message) => {
    await pods.create();
    expect(await refusal(bind(changes))).toMatchObject({ code, message });
  });

  it.each([
    [{ nodeName: 'm' }, {}, 'pod p is already assigned to node "m"'],
    [{ schedulingGates: [{ name: 'g' }] }, {}, 'pod p has non-empty .spec.schedulingGates'],
  ])('refuses a pod with %j', async (spec, metadata, why) => {
    await pods.create(spec, metadata);
    const message = `Operation cannot be fulfilled on pods/binding "p": ${why}`;
    expect(await refusal(bind())).toMatchObject({ code: 409, reason: 'Conflict', message });
  });

  it('refuses a pod under deletion', async () => {
    await pods.create({}, { finalizers: ['example.com/f'] });
    await pods.delete();
    expect(await refusal(bind())).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
    });
  });

  it('refuses a recreated pod', async () => {
    await pods.create();
    expect(await refusal(bind({ metadata: { name: 'p', uid: 'another' } }))).toMatchObject({ code: 409 });
    expect(await refusal(bind({ metadata: { name: 'q' } }, {}, 'q'))).toMatchObject({
      code: 404,
      message: 'pods "q" not found',
    });
  });
});
