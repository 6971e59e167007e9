import type { IPAddress, ParentReference } from '@apiserver/api/networking/v1';
import { lowerCase } from '@apiserver/apimachinery/text';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printIPAddress of pkg/printers/internalversion/printers.go */
export const ipAddressColumns: readonly Column<IPAddress>[] = [
  nameColumn,
  describedColumn('ParentRef', ['io.k8s.api.networking.v1.IPAddressSpec', 'parentRef'], ({ spec: { parentRef } }) =>
    parentRef === undefined ? '<none>' : referenceText(parentRef),
  ),
  // Upstream's printer writes an age without a declared column.
  { ...ageColumn, undeclared: true },
];

function referenceText({ group, resource = '', namespace, name = '' }: ParentReference): string {
  const kind = lowerCase(`${resource}${group ? `.${group}` : ''}`);
  return [kind, ...(namespace ? [namespace] : []), name].join('/');
}
