import type { EndpointPort, EndpointSlice } from '@apiserver/api/discovery/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, limitedList, nameColumn } from '@apiserver/resource-kit';

const MAX_SHOWN = 3;
const UNSET = '<unset>';

const DEFINITION = 'io.k8s.api.discovery.v1.EndpointSlice';

/** Upstream: printEndpointSlice of pkg/printers/internalversion/printers.go */
export const endpointSliceColumns: readonly Column<EndpointSlice>[] = [
  nameColumn,
  describedColumn('AddressType', [DEFINITION, 'addressType'], ({ addressType }) => addressType),
  describedColumn(
    'Ports',
    [DEFINITION, 'ports'],
    ({ ports }) => limitedList((ports ?? []).map(portText), MAX_SHOWN) || UNSET,
  ),
  describedColumn('Endpoints', [DEFINITION, 'endpoints'], ({ endpoints }) => {
    const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
    return limitedList(addresses, MAX_SHOWN) || UNSET;
  }),
  ageColumn,
];

function portText({ port, name }: EndpointPort): string {
  return port === undefined ? (name ?? '*') : String(port);
}
