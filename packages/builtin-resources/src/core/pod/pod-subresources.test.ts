import { type Binding, Pod } from '@apiserver/api/core/v1';
import type { Eviction, PodDisruptionBudget } from '@apiserver/api/policy/v1';
import type { Status } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { isStatusError, newConflict } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { ResourceClient, RestStorage, StoredList } from '@apiserver/apiserver-contracts';
import { createStore, createSubresourceStore } from '@apiserver/registry-store';
import { createFakeStorage, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES, type PodFeatures } from '../pod-spec/pod-features.js';
import { applyPodDefaults } from './defaults.js';
import { withEviction } from './eviction.js';
import { podDefinition } from './index.js';

const codec = compileKind(Pod);
const context = testContext({ namespace: 'ns' });
const requestFor = (name: string) =>
  Object.assign(Object.create(context), { requestInfo: { name, resource: 'pods' } }) as typeof context;
const admit = async () => {};

let storage: RestStorage<Pod>;
let status: RestStorage<Pod>;
let resize: RestStorage<Pod>;
let binding: RestStorage<Binding>;
let eviction: RestStorage<Eviction>;
let stored: PodDisruptionBudget[];
let slept: number[];
/** The number of the next budget writes that conflict. */
let overtaken: number;

/** Budgets as stored by the server. */
const budgets = {
  list: async () => ({ items: stored.map((object) => ({ object })) }) as unknown as StoredList<PodDisruptionBudget>,
  get: async (_namespace: string, name: string) => {
    const found = stored.find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`no budget ${name}`);
    return found;
  },
  update: async (_namespace: string, budget: PodDisruptionBudget) => {
    if (overtaken-- > 0) throw newConflict({ group: 'policy', resource: 'poddisruptionbudgets' }, 'b', 'overtaken');
    stored = [budget];
    return budget;
  },
} as unknown as ResourceClient<PodDisruptionBudget>;

function start(features: PodFeatures): void {
  const sleep = async (milliseconds: number) => void slept.push(milliseconds);
  const definition = withEviction(podDefinition(features), { budgets, retry: { random: () => 0, sleep } });
  const options = { definition, storage: createFakeStorage<Pod>(), ...testStoreSources<Pod>() };
  const of = (name: string) => {
    const subresource = definition.subresources[name];
    if (subresource === undefined) throw new Error(`pods have no ${name}`);
    return createSubresourceStore(options, subresource) as RestStorage;
  };
  storage = createStore(options);
  status = of('status') as unknown as RestStorage<Pod>;
  resize = of('resize') as unknown as RestStorage<Pod>;
  binding = of('binding') as unknown as RestStorage<Binding>;
  eviction = of('eviction') as unknown as RestStorage<Eviction>;
  stored = [];
  slept = [];
  overtaken = 0;
}

beforeEach(() => start(DEFAULT_POD_FEATURES));

async function create(spec: object = {}, metadata: object = {}): Promise<Pod> {
  const sent = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels: { app: 'a' }, ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
  const { object } = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict');
  codec.applyDefaults(object);
  applyPodDefaults(object as Pod);
  const made = await storage.create?.(context, object as Pod, admit, {});
  if (made === undefined) throw new Error('pods cannot be created');
  return made.object;
}

function change(of: RestStorage<Pod>, edit: (pod: Pod) => void) {
  return of.update?.(context, {
    name: 'p',
    objectInfo: {
      updatedObject: (_context, old) => {
        const pod = cloneJson(old as Pod);
        edit(pod);
        return pod;
      },
    },
    validateCreate: admit,
    validateUpdate: admit,
    forceAllowCreate: false,
    options: {},
  });
}

const current = async () => (await storage.get?.(context, 'p', {}))?.object;
const failure = (error: unknown): Status => {
  if (!isStatusError(error)) throw error;
  return error.status;
};
const refusal = (order: Promise<unknown> | undefined) =>
  (order ?? Promise.resolve()).then(() => 'nothing was refused', failure);

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

describe('pods/binding', () => {
  const bind = (changes: Partial<Binding> = {}, options = {}, name = 'p') => {
    const order: Binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n' },
      ...changes,
    };
    return binding.create?.(requestFor(name), order, admit, options);
  };

  it.each<[object, string | undefined, object]>([
    [{}, undefined, { app: 'a', zone: 'z' }],
    [{ ClearingNominatedNodeNameAfterBinding: false, PodTopologyLabelsAdmission: false }, 'm', { app: 'a' }],
  ])('with the features %j', async (features, nominated, labels) => {
    start({ ...DEFAULT_POD_FEATURES, ...features });
    await create();
    await change(status, (pod) => void Object.assign(pod.status, { nominatedNodeName: 'm' }));
    await bind({ metadata: { name: 'p', labels: { zone: 'z' } } });
    const pod = await current();
    expect([pod?.status.nominatedNodeName, pod?.metadata.labels]).toEqual([nominated, labels]);
  });

  it("assigns a node to a pod, with the scheduler's annotations", async () => {
    const { uid = '' } = (await create({}, { annotations: { a: '1' } })).metadata;
    const metadata = { name: 'p', uid, annotations: { a: '2' }, labels: { zone: 'z' } };
    expect((await bind({ metadata }))?.object).toEqual(SUCCESS);
    const pod = await current();
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
    await create();
    expect((await bind({}, { dryRun: ['All'] }))?.object).toEqual(SUCCESS);
    expect((await current())?.spec.nodeName).toBeUndefined();
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
    await create();
    expect(await refusal(bind(changes))).toMatchObject({ code, message });
  });

  it.each([
    [{ nodeName: 'm' }, {}, 'pod p is already assigned to node "m"'],
    [{ schedulingGates: [{ name: 'g' }] }, {}, 'pod p has non-empty .spec.schedulingGates'],
  ])('refuses a pod with %j', async (spec, metadata, why) => {
    await create(spec, metadata);
    const message = `Operation cannot be fulfilled on pods/binding "p": ${why}`;
    expect(await refusal(bind())).toMatchObject({ code: 409, reason: 'Conflict', message });
  });

  it('refuses a pod under deletion', async () => {
    await create({}, { finalizers: ['example.com/f'] });
    await storage.delete?.(context, 'p', admit, {});
    expect(await refusal(bind())).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
    });
  });

  it('refuses a recreated pod', async () => {
    await create();
    expect(await refusal(bind({ metadata: { name: 'p', uid: 'another' } }))).toMatchObject({ code: 409 });
    expect(await refusal(bind({ metadata: { name: 'q' } }, {}, 'q'))).toMatchObject({
      code: 404,
      message: 'pods "q" not found',
    });
  });
});

describe('pods/eviction', () => {
  const budget = (changes: object = {}, spec: object = {}, name = 'b'): PodDisruptionBudget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'ns', generation: 1 },
    spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
    status: {
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      ...changes,
    },
  });
  const evict = (changes: Partial<Eviction> = {}, options = {}) => {
    const order = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, ...changes };
    return eviction.create?.(requestFor('p'), order, admit, options);
  };
  const running = async (ready = true) => {
    await create({ nodeName: 'n' }, { finalizers: ['example.com/f'] });
    await change(status, (pod) => {
      pod.status.phase = 'Running';
      pod.status.conditions = [
        { type: 'Ready', status: ready ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: null },
      ];
    });
  };
  const MESSAGE = "Cannot evict pod as it would violate the pod's disruption budget.";

  it('deletes a pod without a budget, with the reason in its status', async () => {
    await running();
    expect((await evict())?.object).toEqual(SUCCESS);
    const pod = await current();
    expect(pod?.metadata.deletionTimestamp).toBeDefined();
    expect(pod?.status.conditions?.[1]).toEqual({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
      lastProbeTime: null,
      lastTransitionTime: expect.any(String),
    });
  });

  it('takes a disruption from the budget, and refuses when none is left', async () => {
    await running();
    stored = [budget()];
    await evict();
    expect(stored[0]?.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 }],
    });
  });

  const told = (reason: string, message: string, state = 'False') => ({
    conditions: [{ type: 'DisruptionAllowed', status: state, reason, message, lastTransitionTime: null }],
  });
  const NEED = 'needs 1 healthy pods and has 1 currently';
  const NONE = 'does not allow evicting pods currently';

  it.each<[string, object, string]>([
    ['no disruption', {}, NONE],
    ['too few healthy pods', { currentHealthy: 1, ...told('Other', 'm') }, NEED],
    ['a failed controller', { currentHealthy: 1, ...told('SyncFailed', 'm') }, `${NONE} because it failed sync: m`],
    ['another condition', told('Other', 'm'), `${NONE} (Other): m`],
    ['a condition without a message', told('SyncFailed', ''), NONE],
    ['a condition that is true', told('SyncFailed', 'm', 'True'), NONE],
    ['a change that its controller has not seen', { observedGeneration: 0 }, 'is still being processed by the server.'],
  ])('refuses because of a budget with %s', async (_what, changes, why) => {
    await running();
    stored = [budget({ disruptionsAllowed: 0, ...changes })];
    const causes = [{ reason: 'DisruptionBudget', message: `The disruption budget b ${why}` }];
    const { code, reason, message, details } = (await refusal(evict())) as Status;
    expect([code, reason, message, details?.causes]).toEqual([429, 'TooManyRequests', MESSAGE, causes]);
    expect(details?.retryAfterSeconds).toBe(Object.hasOwn(changes, 'observedGeneration') ? 10 : undefined);
    expect((await current())?.metadata.deletionTimestamp).toBeUndefined();
  });

  it.each([
    [{ disruptionsAllowed: -1 }, 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative'],
    [
      { disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`q${i}`, ''])) },
      'poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    ],
  ])('refuses because of an invalid budget', async (changes, message) => {
    await running();
    stored = [budget(changes)];
    expect(await refusal(evict())).toMatchObject({ code: 403, message });
  });

  it('fails for two budgets', async () => {
    await running();
    stored = [budget(), budget({}, {}, 'c')];
    expect(await refusal(evict())).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  });

  it('protects every pod of the namespace by a budget with an empty selector', async () => {
    await running();
    stored = [budget({ disruptionsAllowed: 0 }, { selector: {} })];
    expect(await refusal(evict())).toMatchObject({ code: 429, message: MESSAGE });
  });

  it.each([
    ['no selector', { selector: undefined }],
    ['a selector of others', { selector: { matchLabels: { app: 'b' } } }],
    ['a broken selector', { selector: { matchExpressions: [{ key: 'app', operator: 'Perhaps' }] } }],
  ])('ignores a budget with %s', async (_what, spec) => {
    await running();
    stored = [budget({ disruptionsAllowed: 0 }, spec)];
    expect((await evict())?.object).toEqual(SUCCESS);
  });

  it.each([
    ['enough others are healthy', {}, {}, true],
    ['too few others are healthy', { currentHealthy: 0 }, {}, false],
    ['the policy is AlwaysAllow', { currentHealthy: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, true],
  ])('evicts an unhealthy pod if %s', async (_when, changes, spec, goes) => {
    await running(false);
    stored = [budget({ disruptionsAllowed: 0, ...changes }, spec)];
    const response = await refusal(evict());
    expect(response).toEqual(goes ? 'nothing was refused' : expect.objectContaining({ code: 429 }));
    expect(stored[0]?.status.disruptedPods).toBeUndefined();
  });

  it('checks no budget for a pod that does not run', async () => {
    await create();
    stored = [budget({ disruptionsAllowed: 0 })];
    expect((await evict())?.object).toEqual(SUCCESS);
    await expect(current()).rejects.toThrow('pods "p" not found');
  });

  it('retries after a conflict on the budget', async () => {
    await running();
    stored = [budget()];
    overtaken = 3;
    await evict();
    expect(slept).toEqual([500, 500, 500]);
  });

  it('gives up after too many conflicts', async () => {
    await running();
    stored = [budget()];
    overtaken = 20;
    expect(await refusal(evict())).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on poddisruptionbudgets.policy "b": overtaken',
    });
    expect(slept).toHaveLength(19);
  });

  it.each([
    ['in the query', {}, { dryRun: ['All'] }],
    ['in the body', { deleteOptions: { dryRun: ['All'] } }, {}],
    ['in both', { deleteOptions: { dryRun: ['All'] } }, { dryRun: ['All'] }],
  ])('changes nothing for a dry run %s', async (_where, changes, options) => {
    await running();
    const before = [budget()];
    stored = before;
    expect((await evict(changes, options))?.object).toEqual(SUCCESS);
    expect(stored).toBe(before);
    expect((await current())?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('refuses contradictory dry run options', async () => {
    await running();
    const changes = { deleteOptions: { dryRun: ['None'] } };
    expect(await refusal(evict(changes, { dryRun: ['All'] }))).toMatchObject({
      code: 500,
      message: 'Non-matching dry-run options in request and content: [All] and [None]',
    });
    expect(await refusal(evict({ metadata: { name: 'q' } }))).toMatchObject({
      code: 400,
      message: 'name in URL does not match name in Eviction object',
    });
  });

  it('respects a uid of the client', async () => {
    await running();
    const { uid = '' } = (await current())?.metadata ?? {};
    expect(await refusal(evict({ deleteOptions: { preconditions: { uid: 'other' } } }))).toMatchObject({
      code: 409,
      details: { kind: 'Pod', name: 'p' },
      message: `Operation cannot be fulfilled on Pod "p": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    });
    await evict({ deleteOptions: { preconditions: { uid } } });
    expect((await current())?.metadata.deletionTimestamp).toBeDefined();
  });

  it('respects a resourceVersion of the client', async () => {
    await running();
    const deleteOptions = { preconditions: { resourceVersion: '1' } };
    const { resourceVersion: stored } = (await current())?.metadata ?? {};
    expect(await refusal(evict({ deleteOptions }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: { kind: 'Pod', name: 'p' },
      message: `Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${stored}). The object might have been modified`,
    });
    expect(slept).toEqual([]);
    const { resourceVersion } = (await current())?.metadata ?? {};
    await evict({ deleteOptions: { preconditions: { resourceVersion } } } as Partial<Eviction>);
    expect((await current())?.metadata.deletionTimestamp).toBeDefined();
  });
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
    await create(spec);
    await change(resize, (pod) => {
      setResources({ requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '3' } })(pod);
      pod.metadata.labels = {};
      pod.spec.activeDeadlineSeconds = 5;
      pod.status.phase = 'Failed';
    });
    const pod = await current();
    expect({
      resources: pod?.spec.containers?.[0]?.resources,
      deadline: pod?.spec.activeDeadlineSeconds,
      labels: pod?.metadata.labels,
      phase: pod?.status.phase,
      generation: pod?.metadata.generation,
    }).toEqual({
      resources: { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '3' } },
      deadline: undefined,
      audit: undefined,
      watchInitialized: undefined,
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
    await create({ containers: spec.containers });
    expect(await refusal(change(resize, setResources(resources)))).toMatchObject({
      code: 422,
      message: `Pod "p" is invalid: ${message}`,
    });
  });

  it('refuses a pod on a node without support', async () => {
    await create({ ...spec, nodeName: 'n' });
    const state = { running: { startedAt: '2030-01-01T00:00:00Z' } };
    const container = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state, lastState: {} };
    await change(status, (pod) => {
      pod.status.containerStatuses = [container];
    });
    const wanted = setResources({ requests: { cpu: '2', memory: '1Gi' } });
    expect(await refusal(change(resize, wanted))).toMatchObject({
      message: 'Pod "p" is invalid: spec: Forbidden: Pod running on node without support for resize',
    });
    await change(status, (pod) => {
      pod.status.containerStatuses = [{ ...container, resources: {} }];
    });
    await change(resize, wanted);
    expect((await current())?.spec.containers?.[0]?.resources.requests?.['cpu']).toBe('2');
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
    await create({ ...spec, ...more }, metadata);
    const { message = '' } = (await refusal(change(resize, setResources({ requests: { cpu: '2' } })))) as Status;
    expect(message).toBe(`Pod "p" is invalid: []: Forbidden: ${why}`);
  });

  it('refuses init containers that would have to restart', async () => {
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    const sidecar = { name: 'd', image: 'i', restartPolicy: 'Always', resizePolicy };
    await create({ ...spec, initContainers: [sidecar] });
    await change(resize, (pod) => {
      const [container] = pod.spec.initContainers ?? [];
      if (container !== undefined) container.resources = { requests: { cpu: '1' } };
    });
    expect((await current())?.spec.initContainers?.[0]?.resources).toEqual({ requests: { cpu: '1' } });
  });
});
