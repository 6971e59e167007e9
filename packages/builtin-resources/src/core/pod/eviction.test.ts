import type { Eviction, PodDisruptionBudget } from '@apiserver/api/policy/v1';
import type { Status } from '@apiserver/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { PodStores, refusal, SUCCESS } from '../../testing/pod-stores.js';

let pods: PodStores;
beforeEach(() => {
  pods = new PodStores();
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
    return pods.evict(order, options);
  };
  const running = async (ready = true) => {
    await pods.create({ nodeName: 'n' }, { finalizers: ['example.com/f'] });
    await pods.change('status', (pod) => {
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
    const pod = await pods.current();
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
    pods.budgets = [budget()];
    await evict();
    expect(pods.budgets[0]?.status).toMatchObject({
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
    pods.budgets = [budget({ disruptionsAllowed: 0, ...changes })];
    const causes = [{ reason: 'DisruptionBudget', message: `The disruption budget b ${why}` }];
    const { code, reason, message, details } = (await refusal(evict())) as Status;
    expect([code, reason, message, details?.causes]).toEqual([429, 'TooManyRequests', MESSAGE, causes]);
    expect(details?.retryAfterSeconds).toBe(Object.hasOwn(changes, 'observedGeneration') ? 10 : undefined);
    expect((await pods.current())?.metadata.deletionTimestamp).toBeUndefined();
  });

  it.each([
    [{ disruptionsAllowed: -1 }, 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative'],
    [
      { disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`q${i}`, ''])) },
      'poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    ],
  ])('refuses because of an invalid budget', async (changes, message) => {
    await running();
    pods.budgets = [budget(changes)];
    expect(await refusal(evict())).toMatchObject({ code: 403, message });
  });

  it('fails for two budgets', async () => {
    await running();
    pods.budgets = [budget(), budget({}, {}, 'c')];
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
    pods.budgets = [budget({ disruptionsAllowed: 0 }, { selector: {} })];
    expect(await refusal(evict())).toMatchObject({ code: 429, message: MESSAGE });
  });

  it.each([
    ['no selector', { selector: undefined }],
    ['a selector of others', { selector: { matchLabels: { app: 'b' } } }],
    ['a broken selector', { selector: { matchExpressions: [{ key: 'app', operator: 'Perhaps' }] } }],
  ])('ignores a budget with %s', async (_what, spec) => {
    await running();
    pods.budgets = [budget({ disruptionsAllowed: 0 }, spec)];
    expect((await evict())?.object).toEqual(SUCCESS);
  });

  it.each([
    ['enough others are healthy', {}, {}, true],
    ['too few others are healthy', { currentHealthy: 0 }, {}, false],
    ['the policy is AlwaysAllow', { currentHealthy: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, true],
  ])('evicts an unhealthy pod if %s', async (_when, changes, spec, goes) => {
    await running(false);
    pods.budgets = [budget({ disruptionsAllowed: 0, ...changes }, spec)];
    const response = await refusal(evict());
    expect(response).toEqual(goes ? 'nothing was refused' : expect.objectContaining({ code: 429 }));
    expect(pods.budgets[0]?.status.disruptedPods).toBeUndefined();
  });

  it('checks no budget for a pod that does not run', async () => {
    await pods.create();
    pods.budgets = [budget({ disruptionsAllowed: 0 })];
    expect((await evict())?.object).toEqual(SUCCESS);
    await expect(pods.current()).rejects.toThrow('pods "p" not found');
  });

  it('retries after a conflict on the budget', async () => {
    await running();
    pods.budgets = [budget()];
    pods.overtaken = 3;
    await evict();
    expect(pods.slept).toEqual([500, 500, 500]);
  });

  it('gives up after too many conflicts', async () => {
    await running();
    pods.budgets = [budget()];
    pods.overtaken = 20;
    expect(await refusal(evict())).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on poddisruptionbudgets.policy "b": overtaken',
    });
    expect(pods.slept).toHaveLength(19);
  });

  it.each([
    ['in the query', {}, { dryRun: ['All'] }],
    ['in the body', { deleteOptions: { dryRun: ['All'] } }, {}],
    ['in both', { deleteOptions: { dryRun: ['All'] } }, { dryRun: ['All'] }],
  ])('changes nothing for a dry run %s', async (_where, changes, options) => {
    await running();
    const before = [budget()];
    pods.budgets = before;
    expect((await evict(changes, options))?.object).toEqual(SUCCESS);
    expect(pods.budgets).toBe(before);
    expect((await pods.current())?.metadata.deletionTimestamp).toBeUndefined();
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
    const { uid = '' } = (await pods.current())?.metadata ?? {};
    expect(await refusal(evict({ deleteOptions: { preconditions: { uid: 'other' } } }))).toMatchObject({
      code: 409,
      details: { kind: 'Pod', name: 'p' },
      message: `Operation cannot be fulfilled on Pod "p": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    });
    await evict({ deleteOptions: { preconditions: { uid } } });
    expect((await pods.current())?.metadata.deletionTimestamp).toBeDefined();
  });

  it('respects a resourceVersion of the client', async () => {
    await running();
    const deleteOptions = { preconditions: { resourceVersion: '1' } };
    const { resourceVersion: stored } = (await pods.current())?.metadata ?? {};
    expect(await refusal(evict({ deleteOptions }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: { kind: 'Pod', name: 'p' },
      message: `Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${stored}). The object might have been modified`,
    });
    expect(pods.slept).toEqual([]);
    const { resourceVersion } = (await pods.current())?.metadata ?? {};
    await evict({ deleteOptions: { preconditions: { resourceVersion } } } as Partial<Eviction>);
    expect((await pods.current())?.metadata.deletionTimestamp).toBeDefined();
  });
});
