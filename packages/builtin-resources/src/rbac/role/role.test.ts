import type { PolicyRule, Role } from '@apiserver/api/rbac/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { roleDeclaration as roles } from './index.js';

function role(rules: PolicyRule[], name = 'system:a'): Role {
  const metadata = { name, namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules };
}

it.each<[PolicyRule, string]>([
  [{ verbs: ['get'], apiGroups: [''], resources: ['pods', 'secrets'], resourceNames: ['a'] }, ''],
  [
    { verbs: null },
    '[rules[0].verbs: Required value: verbs must contain at least one value, rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: resource rules must supply at least one resource]',
  ],
  [
    { verbs: ['get'], nonResourceURLs: ['/a'], resources: ['pods'] },
    '[rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs, rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs]',
  ],
])('%j: %j', (rule, message) => {
  expect(aggregateFieldErrors(roles.strategy.validate(testContext(), role([rule])))).toBe(message);
  expect(aggregateFieldErrors(roles.strategy.validateUpdate(testContext(), role([rule]), role([])))).toBe(message);
});

it('accepts any name that is a path segment', () => {
  expect(aggregateFieldErrors(roles.strategy.validate(testContext(), role([], 'a/b')))).toBe(
    `metadata.name: Invalid value: "a/b": may not contain '/'`,
  );
});

it('shows its creation time', () => {
  expect(roles.columns.map((column) => [column.name, column.cell(role([]), rowTime(0))])).toEqual([
    ['Name', 'system:a'],
    ['Created At', '2030-01-01T00:00:00Z'],
  ]);
});
