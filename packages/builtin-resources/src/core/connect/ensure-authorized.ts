import { newForbidden, plainFailure } from '@apiserver/apimachinery/errors';
import { type Exchange, resourceAttributes } from '@apiserver/apiserver-contracts';
import type { ConnectionOptions } from './connections.js';

/**
 * Requires `create` for commands in pods, regardless of the HTTP method: a WebSocket starts with a GET, which was
 * authorized as `get`. Throws a 403.
 * Nothing is required without AuthorizePodWebsocketUpgradeCreatePermission.
 * Upstream: ensureAuthorizedForVerb in pkg/registry/core/pod/rest
 */
export async function ensureAuthorizedToCreate(
  { authorizer, features }: Pick<ConnectionOptions, 'authorizer' | 'features'>,
  { context: { requestInfo, user }, signal }: Exchange,
): Promise<void> {
  if (!features.enabled('AuthorizePodWebsocketUpgradeCreatePermission')) return;
  if (requestInfo === undefined || user === undefined) throw new TypeError('the request was not authenticated');
  if (requestInfo.verb === 'create') return;
  const { apiGroup, apiVersion, namespace, resource, subresource, name, path } = requestInfo;
  const access = { verb: 'create', apiGroup, apiVersion, namespace, resource, subresource, name, path };
  const { decision, reason, error } = await authorizer.authorize(resourceAttributes(user, access), signal);
  if (decision === 'Allow') return;
  if (error !== undefined) throw plainFailure(500, error.message);
  throw newForbidden({ group: apiGroup, resource }, name, reason);
}
