import { ServiceAccount } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { serviceAccountColumns } from './columns.js';
import { serviceAccountStrategy } from './strategy.js';

/** ServiceAccounts: who programs in pods are. */
export const serviceAccounts = defineResource<ServiceAccount>({
  shortNames: ['sa'],
  versions: [{ schema: ServiceAccount }],
  strategy: serviceAccountStrategy,
  columns: serviceAccountColumns,
  returnDeletedObject: true,
});
