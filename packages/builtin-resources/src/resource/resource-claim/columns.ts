import type { ResourceClaim } from '@apiserver/api/resource/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printResourceClaim of pkg/printers/internalversion/printers.go */
export const resourceClaimColumns: readonly Column<ResourceClaim>[] = [
  nameColumn,
  {
    name: 'State',
    type: 'string',
    format: '',
    description: 'A summary of the current state (allocated, pending, reserved, etc.).',
    priority: 0,
    cell: stateText,
  },
  ageColumn,
];

function stateText({ metadata, status }: ResourceClaim): string {
  const isDeleted = Boolean(metadata.deletionTimestamp);
  const isReserved = (status.reservedFor ?? []).length > 0;
  const given = status.allocation === undefined ? [] : ['allocated', ...(isReserved ? ['reserved'] : [])];
  const waiting = status.allocation === undefined && !isDeleted ? ['pending'] : [];
  return [...(isDeleted ? ['deleted'] : []), ...waiting, ...given].join(',');
}
