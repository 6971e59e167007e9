import { ServiceAccount } from '@apiserver/api/core/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { serviceAccountColumns } from './columns.js';
import { serviceAccountStrategy } from './strategy.js';
import { type TokenRequestOptions, withTokenRequests } from './token/with-token-requests.js';

/** ServiceAccounts: identities for programs in pods. */
export const serviceAccountDeclaration = defineResource<ServiceAccount>({
  shortNames: ['sa'],
  versions: [{ schema: ServiceAccount }],
  strategy: serviceAccountStrategy,
  columns: serviceAccountColumns,
  returnDeletedObject: true,
});

/** The kind for one server, with token requests. */
export function serviceAccounts(tokens: TokenRequestOptions): ResourceDefinition<ServiceAccount> {
  return withTokenRequests(serviceAccountDeclaration, tokens);
}
