import type { ResourceQuota } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printResourceQuota of pkg/printers/internalversion/printers.go */
export const resourceQuotaColumns: readonly Column<ResourceQuota>[] = [
  nameColumn,
  {
    name: 'Request',
    type: 'string',
    format: '',
    description: 'Request represents a minimum amount of cpu/memory that a container may consume.',
    priority: 0,
    cell: (quota) => usage(quota, (resource) => !isLimit(resource)),
  },
  {
    name: 'Limit',
    type: 'string',
    format: '',
    description:
      'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
    priority: 0,
    cell: (quota) => usage(quota, isLimit),
  },
  ageColumn,
];

function isLimit(resource: string): boolean {
  return resource.startsWith('limits.');
}

function usage({ status: { hard = {}, used = {} } }: ResourceQuota, isShown: (resource: string) => boolean): string {
  const resources = Object.keys(hard).filter(isShown).sort();
  return resources.map((resource) => `${resource}: ${used[resource] ?? '0'}/${hard[resource] ?? '0'}`).join(', ');
}
