import type { RoleBinding } from '@apiserver/api/rbac/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { roleBindingDeclaration as roleBindings } from './index.js';

const RBAC = 'rbac.authorization.k8s.io';

function roleBinding(fields: Partial<RoleBinding> = {}): RoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'r' },
    ...fields,
  };
}

it.each<[Partial<RoleBinding>, string]>([
  [{}, ''],
  [{ roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:r' } }, ''],
  [
    {
      subjects: [
        { kind: 'User', apiGroup: RBAC, name: 'u' },
        { kind: 'ServiceAccount', name: 's' },
      ],
    },
    '',
  ],
  [
    { roleRef: { apiGroup: 'x', kind: 'X', name: '' } },
    '[roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io", roleRef.kind: Unsupported value: "X": supported values: "Role", "ClusterRole", roleRef.name: Required value]',
  ],
  [
    { roleRef: { apiGroup: RBAC, kind: 'Role', name: 'a%b' } },
    `roleRef.name: Invalid value: "a%b": may not contain '%'`,
  ],
  [
    { subjects: [{ kind: 'ServiceAccount', apiGroup: RBAC, name: '' }] },
    '[subjects[0].name: Required value, subjects[0].apiGroup: Unsupported value: "rbac.authorization.k8s.io": supported values: ""]',
  ],
  [
    { subjects: [{ kind: 'User', name: '' }] },
    '[subjects[0].name: Required value, subjects[0].apiGroup: Unsupported value: "": supported values: "rbac.authorization.k8s.io"]',
  ],
  [{ subjects: [{ kind: 'Group', apiGroup: RBAC, name: '' }] }, 'subjects[0].name: Required value'],
  [
    { subjects: [{ kind: 'Robot', name: 'r' }] },
    'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
  ],
])('%j: %j', (fields, message) => {
  expect(aggregateFieldErrors(roleBindings.strategy.validate(testContext(), roleBinding(fields)))).toBe(message);
});

it('keeps its role', () => {
  const changed = roleBinding({ roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'r' } });
  const errors = roleBindings.strategy.validateUpdate(testContext(), changed, roleBinding());
  expect(aggregateFieldErrors(errors)).toBe(
    'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"r"}: cannot change roleRef',
  );
});

it('defaults API groups', () => {
  const bare = roleBinding({
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's' },
    ],
  });
  roleBindings.versions[0]?.applyDefaults?.(bare);
  expect([bare.roleRef.apiGroup, ...(bare.subjects ?? []).map(({ apiGroup }) => apiGroup)]).toEqual([
    RBAC,
    RBAC,
    RBAC,
    undefined,
  ]);
});

it('shows role and subjects', () => {
  const shown = roleBinding({
    subjects: [
      { kind: 'User', name: 'u1' },
      { kind: 'User', name: 'u2' },
      { kind: 'ServiceAccount', namespace: 'n', name: 's' },
    ],
  });
  const cells = roleBindings.columns.map((column) => column.cell(shown, rowTime(0)));
  expect(cells).toEqual(['a', 'Role/r', '<unknown>', 'u1, u2', '', 'n/s']);
});
