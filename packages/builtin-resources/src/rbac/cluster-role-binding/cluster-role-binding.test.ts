import type { ClusterRoleBinding } from '@apiserver/api/rbac/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { clusterRoleBindingDeclaration as clusterRoleBindings } from './index.js';

const RBAC = 'rbac.authorization.k8s.io';
const context = testContext({ namespace: '' });

function clusterRoleBinding(fields: Partial<ClusterRoleBinding> = {}): ClusterRoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'r' },
    ...fields,
  };
}

it.each<[Partial<ClusterRoleBinding>, string]>([
  [{}, ''],
  [
    { roleRef: { apiGroup: RBAC, kind: 'Role', name: 'r' } },
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
  ],
  [{ subjects: [{ kind: 'ServiceAccount', name: 's' }] }, 'subjects[0].namespace: Required value'],
])('%j: %j', (fields, message) => {
  const errors = clusterRoleBindings.strategy.validate(context, clusterRoleBinding(fields));
  expect(aggregateFieldErrors(errors)).toBe(message);
});

it('describes its columns by its own kind', () => {
  expect(
    clusterRoleBindings.columns.map(({ describedBy, description }) => describedBy?.definition ?? description),
  ).toEqual([
    'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    'io.k8s.api.rbac.v1.ClusterRoleBinding',
    'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    'Users in the clusterRoleBinding',
    'Groups in the clusterRoleBinding',
    'ServiceAccounts in the clusterRoleBinding',
  ]);
});
