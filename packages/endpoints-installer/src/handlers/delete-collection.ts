import { newInvalid } from '@apiserver/apimachinery/errors';
import type { ApiResponse, CollectionDeleter, Exchange } from '@apiserver/apiserver-contracts';
import { readDeleteOptions } from '../body/delete-options.js';
import { parseListOptions } from '../options/list-options.js';
import { respondList } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { deleteValidation } from './admission.js';
import { deleteRequest } from './delete.js';
import { unsafeCollectionFault } from './delete-corrupt.js';
import { negotiate } from './negotiate.js';
import { verbContextOf } from './request-target.js';

/**
 * Its time limit is that of the request, unlike other writes.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go (DeleteCollection)
 */
export async function handleDeleteCollection(
  scope: EndpointScope,
  storage: CollectionDeleter,
  exchange: Exchange,
): Promise<ApiResponse> {
  const output = negotiate(scope, exchange);
  const listOptions = parseListOptions(exchange.request.query, scope);
  const options = await readDeleteOptions(exchange, scope);
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [unsafeCollectionFault()]);
  }
  const validate = deleteValidation(deleteRequest(scope, exchange, '', options));
  const deleted = await storage.deleteCollection(verbContextOf(scope, exchange), validate, options, listOptions);
  return respondList(scope, exchange, deleted, { status: 200, output });
}
