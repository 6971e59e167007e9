import { IPAddress } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { ipAddressColumns } from './columns.js';
import { ipAddressStrategy } from './strategy.js';

/** IPAddresses: allocated addresses, with their owners. The object's name is the address. */
export const ipAddresses = defineResource<IPAddress>({
  shortNames: ['ip'],
  versions: [{ schema: IPAddress }],
  strategy: ipAddressStrategy,
  columns: ipAddressColumns,
});
