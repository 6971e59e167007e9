import { newAlreadyExists, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import type { PolicyData } from '../bootstrap-policy/bootstrap-policy.js';
import type { ClusterRole, ClusterRoleBinding } from '../policy-objects.js';
import { testClusterRole, testClusterRoleBinding, testLogger, testRule } from '../testing/index.js';
import { type Priming, primeAggregatedClusterRoles, primeSplitClusterRoleBindings } from './prime-policy.js';
import { Snapshot } from './snapshot.js';

const policy: PolicyData = {
  clusterRoles: [],
  roles: [],
  roleBindings: [],
  clusterRoleBindings: [testClusterRoleBinding('half', 'half', 'User template')],
  clusterRolesToAggregate: new Map([
    ['edit', 'part'],
    ['other', 'other-part'],
  ]),
  clusterRoleBindingsToSplit: new Map([
    ['whole', 'half'],
    ['unknown', 'nowhere'],
  ]),
};

/** Runs with these existing objects; returns what is created and logged. */
async function primed<O extends ClusterRole | ClusterRoleBinding>(
  prime: (policy: PolicyData, priming: Priming<O>) => Promise<void>,
  objects: readonly O[],
  failure?: Error,
) {
  const made: O[] = [];
  const existing = new Snapshot(objects);
  const logger = testLogger(1);
  const create = async (object: O) => {
    made.push(object);
    if (failure !== undefined) throw failure;
    return object;
  };
  await prime(policy, { logger, existing, client: { create } });
  return { made, lines: logger.lines, known: made.filter(({ metadata }) => existing.get('', metadata.name ?? '')) };
}

const custom = testRule('get', ['custom'], 'things');
const edit = testClusterRole('edit', [custom], {
  metadata: { name: 'edit', resourceVersion: '7', labels: { a: 'b' } },
});
const aggregated = { ...edit, aggregationRule: { clusterRoleSelectors: [] } };

it('keeps the rules of a role under its new name', async () => {
  expect(await primed<ClusterRole>(primeAggregatedClusterRoles, [edit])).toEqual({
    made: [{ ...edit, metadata: { name: 'part', labels: { a: 'b' } } }],
    lines: ['migrating edit to part'],
    known: [{ ...edit, metadata: { name: 'part', labels: { a: 'b' } } }],
  });
});

it.each<[string, ClusterRole[]]>([
  ['there is none', []],
  ['it has been done', [edit, testClusterRole('part', [])]],
  ['the role is aggregated', [aggregated]],
  ['the first role is aggregated', [aggregated, testClusterRole('other', [custom])]],
])('moves no rules if %s', async (_what, roles) => {
  const { made, lines } = await primed<ClusterRole>(primeAggregatedClusterRoles, roles);
  expect([made, lines]).toEqual([[], []]);
});

it('copies subjects, labels and annotations to a binding that was split off', async () => {
  const whole = testClusterRoleBinding('whole', 'whole', 'User bob');
  whole.metadata = { name: 'whole', labels: { a: 'b' }, annotations: { c: 'd' }, resourceVersion: '1' };
  const half = testClusterRoleBinding('half', 'half', 'User bob');
  half.metadata = { name: 'half', labels: { a: 'b' }, annotations: { c: 'd' } };
  expect(await primed<ClusterRoleBinding>(primeSplitClusterRoleBindings, [whole])).toEqual({
    made: [half],
    lines: ['copying subjects, labels, and annotations from ClusterRoleBinding "whole" to template "half"'],
    known: [half],
  });
});

it('copies nothing from a bare binding', async () => {
  const whole = testClusterRoleBinding('whole', 'whole');
  delete whole.subjects;
  const { made } = await primed<ClusterRoleBinding>(primeSplitClusterRoleBindings, [whole]);
  expect(made).toMatchObject([{ metadata: { name: 'half', labels: {}, annotations: {} }, subjects: [] }]);
});

it.each<[string, ClusterRoleBinding[]]>([
  ['there is none', []],
  ['it has been done', [testClusterRoleBinding('whole', 'whole'), testClusterRoleBinding('half', 'half')]],
  ['the policy has no such binding', [testClusterRoleBinding('unknown', 'unknown', 'User bob')]],
])('splits no binding if %s', async (_what, bindings) => {
  const { made, lines } = await primed<ClusterRoleBinding>(primeSplitClusterRoleBindings, bindings);
  expect([made, lines]).toEqual([[], []]);
});

it('lets another server be first, and rejects with every other error', async () => {
  const first = newAlreadyExists({ group: '', resource: 'clusterroles' }, 'part');
  expect((await primed<ClusterRole>(primeAggregatedClusterRoles, [edit], first)).known).toEqual([]);
  const down = primed<ClusterRole>(primeAggregatedClusterRoles, [edit], newServiceUnavailable('down'));
  await expect(down).rejects.toThrow('down');
});
