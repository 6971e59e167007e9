import type { DeleteOptions, Status } from '@apiserver/apimachinery';
import type { ApiResponse, CorruptObjectDeleter, Exchange, GracefulDeleter } from '@apiserver/apiserver-contracts';
import { readDeleteOptions } from '../body/delete-options.js';
import { respondStatus } from '../responses/respond-error.js';
import { respondObject } from '../responses/respond-object.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { type AdmissionRequest, deleteValidation } from './admission.js';
import { handleDeleteCorrupt } from './delete-corrupt.js';
import { finishRequest, respondBy } from './finish-request.js';
import { negotiate } from './negotiate.js';
import { attributesNamespace, requestName, verbContextOf } from './request-target.js';

/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go (DeleteResource) */
export async function handleDelete(
  scope: EndpointScope,
  storage: GracefulDeleter & Partial<CorruptObjectDeleter>,
  exchange: Exchange,
): Promise<ApiResponse> {
  const name = requestName(exchange);
  const deadline = respondBy();
  const output = negotiate(scope, exchange);
  const options = await readDeleteOptions(exchange, scope);
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    return await handleDeleteCorrupt(scope, storage, exchange, { name, output });
  }
  const request = { ...deleteRequest(scope, exchange, name, options), deadline };
  const context = verbContextOf(scope, exchange);
  exchange.context.span?.addEvent('About to delete object from database');
  const { stored, deleted } = await finishRequest(scope, deadline, () =>
    storage.delete(context, name, deleteValidation(request), options),
  );
  exchange.context.span?.addEvent('Object deleted from database');
  const status = !deleted && options.orphanDependents === false ? 202 : 200;
  if (deleted && !scope.definition.returnDeletedObject) {
    const { cbor } = scope.environment;
    return respondStatus(exchange, status, deletedStatus(scope, name, stored.object.metadata.uid), { output, cbor });
  }
  return respondObject(scope, exchange, stored, { status, output });
}

/** The admission request of a delete; `name` is "" for a collection. */
export function deleteRequest(
  scope: EndpointScope,
  exchange: Exchange,
  name: string,
  options: DeleteOptions,
): AdmissionRequest {
  return { scope, exchange, operation: 'DELETE', namespace: attributesNamespace(scope, exchange), name, options };
}

function deletedStatus({ resource }: EndpointScope, name: string, uid: string | undefined): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(resource.group !== '' && { group: resource.group }),
      kind: resource.resource,
      ...(uid !== undefined && { uid }),
    },
  };
}
