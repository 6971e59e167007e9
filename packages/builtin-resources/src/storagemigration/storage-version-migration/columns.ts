import type { StorageVersionMigration, StorageVersionMigrationStatus } from '@apiserver/api/storagemigration/v1beta1';
import type { Column } from '@apiserver/apiserver-contracts';
import { column, nameColumn } from '@apiserver/resource-kit';

const STATES = ['Running', 'Failed', 'Succeeded'];

/**
 * The name has no format, and there is no age.
 * Upstream: printStorageVersionMigration of pkg/printers/internalversion/printers.go
 */
export const storageVersionMigrationColumns: readonly Column<StorageVersionMigration>[] = [
  { ...nameColumn, format: '' },
  column('Resource', 'GroupResource to migrate', ({ spec: { resource } }) =>
    resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`,
  ),
  column('Status', 'Status of the migration', ({ status }) => stateOf(status)),
];

/** The last known condition that is true. */
function stateOf({ conditions = [] }: StorageVersionMigrationStatus): string {
  const isState = ({ type, status }: { type: string; status: string }) => status === 'True' && STATES.includes(type);
  return conditions.findLast(isState)?.type ?? 'Unknown';
}
