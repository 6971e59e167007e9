import type { Status } from '@apiserver/apimachinery';
import { messageOf, newForbidden, newInternalError } from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import {
  type ApiResponse,
  type CorruptObjectDeleter,
  type Exchange,
  type GracefulDeleter,
  resourceAttributes,
} from '@apiserver/apiserver-contracts';
import { respondStatus } from '../responses/respond-error.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { finishRequest, respondBy } from './finish-request.js';
import type { negotiate } from './negotiate.js';
import { attributesNamespace, verbContextOf } from './request-target.js';

const VERB = 'unsafe-delete-ignore-read-errors';
const OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** The error of a deletecollection that sets the option. */
export function unsafeCollectionFault(): FieldError {
  return fieldInvalid(
    FieldPath.of(OPTION),
    true,
    'is not allowed with DELETECOLLECTION, try again after removing the option',
  );
}

interface CorruptDelete {
  readonly name: string;
  readonly output: ReturnType<typeof negotiate>;
}

/**
 * Deletes an unreadable object, which needs a separate permission. Throws a 403 without it.
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go (DeleteResource, authorizeUnsafeDelete)
 */
export async function handleDeleteCorrupt(
  scope: EndpointScope,
  storage: GracefulDeleter & Partial<CorruptObjectDeleter>,
  exchange: Exchange,
  { name, output }: CorruptDelete,
): Promise<ApiResponse> {
  const deleteCorrupt = storage.deleteCorrupt?.bind(storage);
  // The audit log shows attempts, too.
  exchange.context.audit?.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '');
  if (deleteCorrupt === undefined) {
    throw newInternalError(new Error(`no unsafe deleter provided, can not honor ${OPTION}`));
  }
  await authorize(scope, exchange, name);
  const context = verbContextOf(scope, exchange);
  await finishRequest(scope, respondBy(), () => deleteCorrupt(context, name));
  const { cbor } = scope.environment;
  return respondStatus(exchange, 200, deletedStatus(scope, name), { output, cbor });
}

async function authorize(scope: EndpointScope, exchange: Exchange, name: string): Promise<void> {
  const { resource, subresource, environment } = scope;
  const { user } = exchange.context;
  if (user === undefined) throw new TypeError('the request was not authenticated');
  const forbidden = (why: string) =>
    newForbidden({ group: resource.group, resource: resource.resource }, name, new Error(why));
  if (subresource !== '') {
    throw forbidden(`${OPTION} delete option is not allowed on a subresource or non-resource request`);
  }
  const attributes = resourceAttributes(user, {
    verb: VERB,
    apiGroup: resource.group,
    apiVersion: resource.version,
    namespace: attributesNamespace(scope, exchange),
    resource: resource.resource,
    name,
    path: exchange.request.path,
  });
  const { decision, reason, error } = await environment.authorizer.authorize(attributes, exchange.signal);
  if (error !== undefined) {
    throw forbidden(`error while checking permission for ${quote(VERB)}, ${messageOf(error)}`);
  }
  if (decision !== 'Allow') throw forbidden(`not permitted to do ${quote(VERB)}, reason: ${reason}`);
}

/** The Status that upstream returns if the deleter returns no object. */
function deletedStatus({ kind }: EndpointScope, name: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 200,
    details: { name, kind: kind.kind },
  };
}
