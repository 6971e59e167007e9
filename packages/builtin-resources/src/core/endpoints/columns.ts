import type { EndpointSubset, Endpoints } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, limitedList, nameColumn } from '@apiserver/resource-kit';

const MAX_SHOWN = 3;

/** Upstream: printEndpoints of pkg/printers/internalversion/printers.go */
export const endpointsColumns: readonly Column<Endpoints>[] = [
  nameColumn,
  describedColumn('Endpoints', ['io.k8s.api.core.v1.Endpoints', 'subsets'], ({ subsets }) => {
    if (subsets === undefined || subsets.length === 0) return '<none>';
    return limitedList(subsets.flatMap(readyEndpoints), MAX_SHOWN) ?? '';
  }),
  ageColumn,
];

/** Every address at every port; only the address if there is no port. */
function readyEndpoints({ addresses = [], ports = [] }: EndpointSubset): string[] {
  if (ports.length === 0) return addresses.map(({ ip }) => ip);
  return ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`));
}
