import type { EndpointPort, EndpointSlice } from '@apiserver/api/discovery/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, limitedList, nameColumn } from '@apiserver/resource-kit';

const MAX_SHOWN = 3;
const UNSET = '<unset>';

function column(name: string, field: string, cell: Column<EndpointSlice>['cell']): Column<EndpointSlice> {
  const describedBy = { definition: 'io.k8s.api.discovery.v1.EndpointSlice', field };
  return { name, type: 'string', format: '', description: '', describedBy, priority: 0, cell };
}

/** Upstream: printEndpointSlice of pkg/printers/internalversion/printers.go */
export const endpointSliceColumns: readonly Column<EndpointSlice>[] = [
  nameColumn,
  column('AddressType', 'addressType', ({ addressType }) => addressType),
  column('Ports', 'ports', ({ ports }) => limitedList((ports ?? []).map(portText), MAX_SHOWN) || UNSET),
  column('Endpoints', 'endpoints', ({ endpoints }) => {
    const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
    return limitedList(addresses, MAX_SHOWN) || UNSET;
  }),
  ageColumn,
];

function portText({ port, name }: EndpointPort): string {
  return port === undefined ? (name ?? '*') : String(port);
}
