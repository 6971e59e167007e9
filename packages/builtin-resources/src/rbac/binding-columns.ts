import type { RoleRef, Subject } from '@apiserver/api/rbac/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

type Binding = KubeObject & { readonly roleRef: RoleRef; readonly subjects?: readonly Subject[] };

/** The columns of a kind of bindings. Upstream: printRoleBinding of pkg/printers/internalversion/printers.go */
export function bindingColumns<T extends Binding>(kind: string, kindInText: string): readonly Column<T>[] {
  const subjects = (name: string, shown: (subject: Subject) => string | undefined): Column<T> => ({
    name,
    type: 'string',
    format: '',
    description: `${name} in the ${kindInText}`,
    priority: 1,
    cell: (binding) => (binding.subjects ?? []).flatMap((subject) => shown(subject) ?? []).join(', '),
  });
  return [
    nameColumn,
    describedColumn(
      'Role',
      [`io.k8s.api.rbac.v1.${kind}`, 'roleRef'],
      ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
    ),
    ageColumn,
    subjects('Users', ({ kind: of, name }) => (of === 'User' ? name : undefined)),
    subjects('Groups', ({ kind: of, name }) => (of === 'Group' ? name : undefined)),
    subjects('ServiceAccounts', ({ kind: of, name, namespace = '' }) =>
      of === 'ServiceAccount' ? `${namespace}/${name}` : undefined,
    ),
  ];
}
