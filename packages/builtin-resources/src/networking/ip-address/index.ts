import { IPAddress } from '@apiserver/api/networking/v1';
import { defineResource } from '@apiserver/resource-kit';
import { ipAddressColumns } from './columns.js';
import { ipAddressStrategy } from './strategy.js';

/** IPAddresses: which addresses are taken, and by what. An address is the object's name. */
export const ipAddresses = defineResource<IPAddress>({
  shortNames: ['ip'],
  versions: [{ schema: IPAddress }],
  strategy: ipAddressStrategy,
  columns: ipAddressColumns,
});
