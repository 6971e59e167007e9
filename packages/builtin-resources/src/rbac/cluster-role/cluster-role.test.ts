import type { ClusterRole } from '@apiserver/api/rbac/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { clusterRoleDeclaration as clusterRoles } from './index.js';

const context = testContext({ namespace: '' });

function clusterRole(fields: Partial<ClusterRole> = {}): ClusterRole {
  const metadata = { name: 'system:a', uid: 'u', resourceVersion: '1' };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules: null, ...fields };
}

const BAD_VALUE = { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] }] };

it.each<[Partial<ClusterRole>, string]>([
  [{}, ''],
  [{ rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/api/*'] }] }, ''],
  [{ aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }, ''],
  [
    { aggregationRule: {} },
    'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
  ],
  [
    { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'x' }] }] } },
    '[aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "x": not a valid selector operator, aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]',
  ],
])('%j: %j', (fields, message) => {
  expect(aggregateFieldErrors(clusterRoles.strategy.validate(context, clusterRole(fields)))).toBe(message);
});

it('accepts an invalid label value of a selector only if there was one, and only if it is a selector', () => {
  const bad = clusterRole({ aggregationRule: BAD_VALUE });
  const at = (old: ClusterRole) => clusterRoles.strategy.validateUpdate(context, bad, old).map(({ field }) => field);
  const selector = 'aggregationRule.clusterRoleSelectors[0]';
  expect(at(clusterRole())).toEqual([`${selector}.matchExpressions[0].values[0]`, selector]);
  expect(at(bad)).toEqual([selector]);
});
