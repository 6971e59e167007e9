import { IPAddress } from '@apiserver/api/networking/v1';
import { IPAddress as IPAddressBeta } from '@apiserver/api/networking/v1beta1';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { ipAddressColumns } from './columns.js';
import { ipAddressStrategy } from './strategy.js';

/** IPAddresses: allocated addresses, with their owners. The object's name is the address. */
export const ipAddresses = defineResource<IPAddress>({
  shortNames: ['ip'],
  versions: [{ schema: IPAddress }, { schema: IPAddressBeta, ...sameFields('networking.k8s.io', 'v1beta1') }],
  strategy: ipAddressStrategy,
  columns: ipAddressColumns,
});
