import type { ClusterRole, PolicyRule } from '@apiserver/api/rbac/v1';
import { newConflict } from '@apiserver/apimachinery/errors';
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

describe('runClusterRoleAggregation', () => {
  it('fills aggregated roles, follows changes, retries after a failure, skips unchanged roles, and stops', async () => {
    const informer = new MemoryInformer([aggregated('sum', 'x'), labelled('1', 'x', 'a')]);
    const writes: (readonly [string | undefined, ClusterRole['rules'], string | undefined])[] = [];
    const failures: Error[] = [];
    const timers: (readonly [() => void, number])[] = [];
    const stop = new AbortController();
    const done = runClusterRoleAggregation(
      {
        informer,
        logger: testLogger(),
        clock: {
          now: () => 0,
          schedule: (callback, pause) => {
            timers.push([callback, pause]);
            return () => {};
          },
        },
        client: {
          apply: async (_namespace, applied, { fieldManager, force }) => {
            const failure = failures.shift();
            if (failure !== undefined) throw failure;
            const { rules: own }: Partial<ClusterRole> = applied;
            writes.push([applied.metadata.name, own, force === true ? fieldManager : undefined]);
            const role = { ...aggregated('sum', 'x'), rules: own ?? null };
            informer.set(role);
            return role;
          },
        },
      },
      stop.signal,
    );
    const manager = 'clusterrole-aggregation-controller';
    await settle();
    expect(writes.splice(0)).toEqual([['sum', [rules.a], manager]]);
    const conflict = newConflict({ group: '', resource: 'clusterroles' }, 'sum', 'changed');
    failures.push(conflict, conflict);
    informer.set(labelled('0', 'x', 'b'));
    await settle();
    timers[0]?.[0]();
    await settle();
    expect([writes, timers.map(([, pause]) => pause)]).toEqual([[], [5, 10]]);
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
});
