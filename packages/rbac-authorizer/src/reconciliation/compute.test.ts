import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '@apiserver/api/rbac/v1';
import { describe, expect, it } from 'vitest';
import { testClusterRole, testClusterRoleBinding, testRule, testSubjects } from '../testing/index.js';
import { computeReconciledBinding } from './compute-binding.js';
import { computeReconciledRole, type ReconcileRules } from './compute-role.js';

const UNION = { removeExtra: false };
const EXACT = { removeExtra: true };
const AUTO = 'rbac.authorization.kubernetes.io/autoupdate';

const get = testRule('get', [''], 'pods');
const list = testRule('list', [''], 'pods');
const both = testRule('get list', [''], 'pods');

function withMetadata(labels: Record<string, string>, annotations: Record<string, string>): ClusterRole {
  return testClusterRole('r', [get], { metadata: { name: 'r', labels, annotations } });
}

function aggregated(...labels: string[]): ClusterRole {
  const clusterRoleSelectors = labels.map((label) => ({ matchLabels: { [label]: 'true' } }));
  return { ...testClusterRole('r', [get]), aggregationRule: { clusterRoleSelectors } };
}

/** Description, options, existing rules, expected rules; then the operation and the rules to write. */
type RuleCase = readonly [string, ReconcileRules, PolicyRule[], PolicyRule[], string, PolicyRule[]];

describe('computeReconciledRole', () => {
  it.for<RuleCase>([
    ['the same', UNION, [both], [both], 'none', [both]],
    ['written otherwise', UNION, [get, list], [both], 'none', [get, list]],
    ['a missing rule', UNION, [get], [both], 'update', [get, list]],
    ['an extra rule', UNION, [both], [get], 'none', [both]],
    ['an extra rule to remove', EXACT, [both], [get], 'update', [get]],
    ['a missing rule, with removeExtra', EXACT, [get], [both], 'update', [both]],
    ['equivalent rules, with removeExtra', EXACT, [get, list], [both], 'none', [get, list]],
  ])('%s', ([, how, existing, expected, operation, rules]) => {
    const result = computeReconciledRole(testClusterRole('r', existing), testClusterRole('r', expected), how);
    expect([result.operation, result.object.rules]).toEqual([operation, rules]);
  });

  it('creates a missing role', () => {
    const expected = testClusterRole('r', [get]);
    const result = computeReconciledRole(undefined, expected, UNION);
    expect(result).toEqual({
      operation: 'create',
      object: expected,
      protected: false,
      missingRules: [get],
      extraRules: [],
      missingSelectors: [],
      extraSelectors: [],
    });
    const { rules: _, ...bare } = aggregated('a');
    expect(computeReconciledRole<ClusterRole>(undefined, bare, UNION)).toMatchObject({
      missingRules: [],
      missingSelectors: [{ matchLabels: { a: 'true' } }],
    });
  });

  it('lists what differs', () => {
    const lists = (existing: ClusterRole, expected: ClusterRole) => {
      const result = computeReconciledRole<ClusterRole>(existing, expected, UNION);
      return [result.missingRules, result.extraRules, result.missingSelectors, result.extraSelectors];
    };
    const selector = (label: string) => ({ matchLabels: { [label]: 'true' } });
    expect(lists(testClusterRole('r', [get]), testClusterRole('r', [get]))).toEqual([[], [], [], []]);
    expect(lists(testClusterRole('r', [get]), testClusterRole('r', [list]))).toEqual([[list], [get], [], []]);
    expect(lists(aggregated('a'), aggregated('b'))).toEqual([[], [], [selector('b')], [selector('a')]]);
    const { rules: _, ...bare } = testClusterRole('r', []);
    expect(lists(bare, testClusterRole('r', [get]))).toEqual([[get], [], [], []]);
    expect(lists(testClusterRole('r', [get]), bare)).toEqual([[], [get], [], []]);
  });

  it('adds labels and annotations, and keeps existing values', () => {
    const expected = withMetadata({ a: '1', b: '1' }, { x: '1' });
    const { operation, object } = computeReconciledRole(withMetadata({ a: '2', c: '2' }, { x: '2' }), expected, UNION);
    expect([operation, object.metadata]).toEqual([
      'update',
      { name: 'r', labels: { a: '2', b: '1', c: '2' }, annotations: { x: '2' } },
    ]);
    expect(computeReconciledRole(withMetadata({ a: '2', b: '2' }, { x: '2' }), expected, UNION).operation).toBe('none');
  });

  it('reports a protected role with the operation that would be needed', () => {
    const existing = withMetadata({}, { [AUTO]: 'false' });
    const result = computeReconciledRole(existing, testClusterRole('r', [both]), UNION);
    expect([result.protected, result.operation, result.missingRules]).toEqual([true, 'update', [list]]);
    expect(computeReconciledRole(withMetadata({}, { [AUTO]: 'true' }), existing, UNION).protected).toBe(false);
  });

  it.for([
    ['a missing selector', UNION, aggregated('a'), aggregated('b'), 'update', aggregated('a', 'b')],
    ['an extra selector', UNION, aggregated('a', 'b'), aggregated('b'), 'none', aggregated('a', 'b')],
    ['an extra selector to remove', EXACT, aggregated('a', 'b'), aggregated('b'), 'update', aggregated('b')],
    ['becomes aggregated', UNION, testClusterRole('r', [get]), aggregated('a'), 'update', aggregated('a')],
    ['was aggregated', UNION, aggregated('a'), testClusterRole('r', [get]), 'update', testClusterRole('r', [get])],
  ] as const)('aggregation: %s', ([, how, existing, expected, operation, wanted]) => {
    const result = computeReconciledRole<ClusterRole>(existing, expected, how);
    expect([result.operation, result.object.aggregationRule]).toEqual([operation, wanted.aggregationRule]);
  });

  it('keeps the aggregated rules of a role', () => {
    const existing = { ...aggregated('a'), rules: [both] };
    const result = computeReconciledRole<ClusterRole>(existing, { ...aggregated('a'), rules: null }, EXACT);
    expect([result.operation, result.extraRules]).toEqual(['none', []]);
  });
});

describe('computeReconciledBinding', () => {
  const binding = (...subjects: string[]) => testClusterRoleBinding('b', 'r', ...subjects);
  it.for([
    ['the same', UNION, binding('User a'), binding('User a'), 'none', ['User a']],
    ['a missing subject', UNION, binding('User a'), binding('User b', 'User b'), 'update', ['User a', 'User b']],
    ['an extra subject', UNION, binding('User a', 'User b'), binding('User a'), 'none', ['User a', 'User b']],
    ['an extra subject to remove', EXACT, binding('User a', 'User b'), binding('User a'), 'update', ['User a']],
    ['a group with the name of a user', UNION, binding('User a'), binding('Group a'), 'update', ['User a', 'Group a']],
    [
      'an account elsewhere',
      UNION,
      binding('ServiceAccount x/a'),
      binding('ServiceAccount y/a'),
      'update',
      ['ServiceAccount x/a', 'ServiceAccount y/a'],
    ],
  ] as const)('%s', ([, how, existing, expected, operation, subjects]) => {
    const result = computeReconciledBinding(existing, expected, how);
    expect([result.operation, result.object.subjects]).toEqual([operation, testSubjects(...subjects)]);
  });

  it('adds subjects to a binding without any, and finds none too many', () => {
    const existing: ClusterRoleBinding = binding();
    delete existing.subjects;
    const result = computeReconciledBinding(existing, binding('User b'), EXACT);
    expect([result.object.subjects, result.extraSubjects]).toEqual([testSubjects('User b'), []]);
  });

  it('writes metadata and nothing else', () => {
    const existing = binding('User a', 'User b');
    const expected = { ...binding('User a'), metadata: { name: 'b', labels: { a: '1' } } };
    const result = computeReconciledBinding<ClusterRoleBinding>(existing, expected, UNION);
    expect(result).toEqual({
      operation: 'update',
      object: { ...existing, metadata: { name: 'b', labels: { a: '1' }, annotations: {} } },
      protected: false,
      missingSubjects: [],
      extraSubjects: testSubjects('User b'),
    });
  });

  it('creates a missing binding', () => {
    const expected = binding('User a');
    expect(computeReconciledBinding(undefined, expected, UNION)).toEqual({
      operation: 'create',
      object: expected,
      protected: false,
      missingSubjects: testSubjects('User a'),
      extraSubjects: [],
    });
  });

  it.for<readonly [string, Partial<ClusterRoleBinding['roleRef']>, string]>([
    ['another name', { name: 'other' }, 'recreate'],
    ['another kind', { kind: 'Role' }, 'recreate'],
    ['another group', { apiGroup: 'example.com' }, 'recreate'],
    ['an empty group for none', { apiGroup: '' }, 'none'],
  ])('compares roles: %s', ([, change, operation]) => {
    const expected = binding('User a');
    const { apiGroup: _, ...bare } = expected.roleRef;
    const plain = { ...expected, roleRef: change.apiGroup === undefined ? expected.roleRef : bare };
    const existing = { ...plain, roleRef: { ...plain.roleRef, ...change } };
    expect(computeReconciledBinding<ClusterRoleBinding>(existing, plain, UNION).operation).toBe(operation);
    expect(computeReconciledBinding<ClusterRoleBinding>(plain, existing, UNION).operation).toBe(operation);
  });

  it('recreates a binding with another role as expected', () => {
    const existing = testClusterRoleBinding('b', 'other', 'User a');
    existing.metadata.annotations = { [AUTO]: 'false' };
    const result = computeReconciledBinding(existing, binding('User b'), UNION);
    expect([result.operation, result.object, result.protected]).toEqual(['recreate', binding('User b'), true]);
    expect([result.missingSubjects, result.extraSubjects]).toEqual([[], []]);
  });
});
