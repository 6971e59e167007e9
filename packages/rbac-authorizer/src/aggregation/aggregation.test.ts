import type { ClusterRole, PolicyRule } from '@apiserver/api/rbac/v1';
import { newConflict } from '@apiserver/apimachinery/errors';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { MemoryInformer, testClusterRole, testLogger, testRule } from '../testing/index.js';
import { aggregatedRules } from './aggregated-rules.js';
import { runClusterRoleAggregation } from './cluster-role-aggregation-controller.js';

const rules = { a: testRule('get', [''], 'a'), b: testRule('get', [''], 'b'), c: testRule('get', [''], 'c') };

function labelled(name: string, label: string, ...granted: (keyof typeof rules)[]): ClusterRole {
  return testClusterRole(
    name,
    granted.map((key) => rules[key]),
    { metadata: { name, labels: { [label]: 'true' } } },
  );
}

function aggregated(name: string, ...labels: string[]): ClusterRole {
  const clusterRoleSelectors = labels.map((label) => ({ matchLabels: { [label]: 'true' } }));
  return { ...testClusterRole(name, []), rules: null, aggregationRule: { clusterRoleSelectors } };
}

describe('aggregatedRules', () => {
  it("aggregates by selector, then by role name, each rule once, without the role's own", () => {
    const self = {
      ...aggregated('self', 'x', 'y'),
      metadata: { name: 'self', labels: { x: 'true' } },
      rules: [rules.c],
    };
    const repeated = { ...labelled('3', 'y'), rules: [{ ...rules.a, resourceNames: [] }, rules.c] };
    const all = [self, labelled('2', 'x', 'a'), labelled('1', 'x', 'b', 'a'), repeated, labelled('4', 'z', 'c')];
    expect(aggregatedRules(self, all)).toEqual([rules.b, rules.a, rules.c]);
    expect(aggregatedRules(self, [self, labelled('2', 'x', 'a')])).toEqual([rules.a]);
  });

  it('keeps the order of roles with one name, and rules that differ in one list', () => {
    const variants: PolicyRule[] = [
      rules.a,
      { ...rules.a, verbs: ['list'] },
      { ...rules.a, apiGroups: ['g'] },
      { ...rules.a, resources: ['z'] },
      { ...rules.a, resourceNames: ['n'] },
      { verbs: ['get'], nonResourceURLs: ['/a'] },
      { verbs: ['get'], nonResourceURLs: ['/b'] },
    ];
    const role = (granted: PolicyRule[]) => ({ ...labelled('same', 'x'), rules: granted });
    const { rules: _, ...bare } = labelled('bare', 'x');
    const all = [role(variants.slice(0, 3)), role(variants.slice(2)), bare];
    expect(aggregatedRules(aggregated('sum', 'x'), all)).toEqual(variants);
    const none = { ...aggregated('sum'), aggregationRule: {} };
    expect(aggregatedRules(none, all)).toEqual([]);
  });

  it('leaves roles without aggregationRule unchanged, empties those that select nothing, throws for an invalid selector', () => {
    expect(aggregatedRules(labelled('1', 'x', 'a'), [])).toBeUndefined();
    expect(aggregatedRules(aggregated('s', 'x'), [labelled('1', 'y', 'a')])).toEqual([]);
    const bad = {
      ...aggregated('s'),
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Odd' }] }] },
    };
    expect(() => aggregatedRules(bad, [])).toThrow('"Odd" is not a valid label selector operator');
  });
});

/** Runs all pending callbacks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

interface Setup {
  readonly informer: MemoryInformer<ClusterRole>;
  /** Errors of the next writes. */
  readonly failures?: Error[];
}

/** A running controller, its writes, and the timers that it waits for. */
function start({ informer, failures = [] }: Setup) {
  const writes: (readonly [string | undefined, ClusterRole['rules'], string | undefined])[] = [];
  const timers: (readonly [() => void, number])[] = [];
  const logger = testLogger();
  const stop = new AbortController();
  const clock = {
    now: () => 0,
    schedule: (callback: () => void, pause: number) => {
      timers.push([callback, pause]);
      return () => {};
    },
  };
  const apply: ResourceClient<ClusterRole>['apply'] = async (_namespace, applied, { fieldManager, force }) => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    const { rules: own }: Partial<ClusterRole> = applied;
    writes.push([applied.metadata.name, own, force === true ? fieldManager : undefined]);
    const role = { ...aggregated('sum', 'x'), rules: own ?? null };
    informer.set(role);
    return role;
  };
  const done = runClusterRoleAggregation({ informer, logger, clock, client: { apply } }, stop.signal);
  return { writes, timers, logger, stop, done };
}

const conflict = newConflict({ group: '', resource: 'clusterroles' }, 'sum', 'changed');

describe('runClusterRoleAggregation', () => {
  it('fills aggregated roles, follows changes, retries after a failure, skips unchanged roles, and stops', async () => {
    const informer = new MemoryInformer([aggregated('sum', 'x'), labelled('1', 'x', 'a')]);
    const failures: Error[] = [];
    const { writes, timers, logger, stop, done } = start({ informer, failures });
    const manager = 'clusterrole-aggregation-controller';
    await settle();
    expect(writes.splice(0)).toEqual([['sum', [rules.a], manager]]);
    failures.push(conflict, conflict);
    informer.set(labelled('0', 'x', 'b'));
    await settle();
    timers[0]?.[0]();
    await settle();
    expect([writes, timers.map(([, pause]) => pause)]).toEqual([[], [5, 10]]);
    const failed = `error: Aggregating the rules of a cluster role failed: ${String(conflict)}`;
    expect([logger.lines, logger.fields]).toEqual([
      [failed, failed],
      [{ clusterRole: 'sum' }, { clusterRole: 'sum' }],
    ]);
    timers[1]?.[0]();
    await settle();
    expect(writes.splice(0)).toEqual([['sum', [rules.b, rules.a], manager]]);
    informer.set({ ...labelled('9', 'other', 'c') });
    await settle();
    expect(writes).toEqual([]);
    informer.delete(labelled('0', 'x'));
    informer.delete(labelled('1', 'x'));
    await settle();
    expect(writes).toEqual([['sum', undefined, manager]]);
    stop.abort();
    await done;
    expect(informer.subscribers).toBe(0);
  });

  it('doubles the pause with each failure up to 1000 s, and begins again after a success', async () => {
    const informer = new MemoryInformer([aggregated('sum', 'x'), labelled('1', 'x', 'a')]);
    const failures = Array.from({ length: 20 }, () => conflict);
    const { writes, timers, stop, done } = start({ informer, failures });
    for (let retried = 0; retried < 20; retried++) {
      await settle();
      timers[retried]?.[0]();
    }
    await settle();
    const pauses = timers.splice(0).map(([, pause]) => pause);
    expect([pauses.length, pauses.slice(16), writes.length]).toEqual([20, [327_680, 655_360, 1_000_000, 1_000_000], 1]);
    failures.push(conflict);
    informer.set(labelled('0', 'x', 'b'));
    await settle();
    expect(timers.map(([, pause]) => pause)).toEqual([5]);
    stop.abort();
    await done;
  });

  it('takes many changes of one turn together', async () => {
    const informer = new MemoryInformer([aggregated('sum', 'x'), labelled('1', 'x', 'a')]);
    const { stop, done } = start({ informer });
    await settle();
    let lists = 0;
    const list = informer.list.bind(informer);
    informer.list = () => {
      lists++;
      return list();
    };
    for (const name of ['2', '3', '4']) informer.set(labelled(name, 'other', 'b'));
    await settle();
    // One for the pass over all roles, one for the only aggregated role.
    expect(lists).toBe(2);
    informer.set(labelled('5', 'other', 'b'));
    await settle();
    expect(lists).toBe(4);
    stop.abort();
    await done;
  });

  it('leaves a role alone that is gone, or no longer aggregated, when its turn comes', async () => {
    const informer = new MemoryInformer([aggregated('sum', 'x'), labelled('1', 'x', 'a')]);
    const { writes, timers, logger, stop, done } = start({ informer, failures: [conflict, conflict] });
    await settle();
    informer.delete(aggregated('sum'));
    timers[0]?.[0]();
    await settle();
    expect([writes, logger.lines.length, timers.length]).toEqual([[], 1, 1]);
    informer.set(aggregated('sum', 'x'));
    await settle();
    informer.set(labelled('sum', 'y'));
    timers[1]?.[0]();
    await settle();
    expect([writes, logger.lines.length, timers.length]).toEqual([[], 2, 2]);
    stop.abort();
    await done;
  });

  it('ends with the error of an informer that does not start, unless it was stopped', async () => {
    const informer = new MemoryInformer<ClusterRole>();
    informer.synced = () => Promise.reject(new Error('no list'));
    await expect(start({ informer }).done).rejects.toThrow('no list');
    const { stop, done } = start({ informer });
    stop.abort();
    expect(await done).toBeUndefined();
    expect(informer.subscribers).toBe(0);
  });
});
