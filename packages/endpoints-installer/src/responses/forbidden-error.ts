import { newForbidden, type StatusError } from '@apiserver/apimachinery/errors';
import { escapeMarkup, quote } from '@apiserver/apimachinery/text';
import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';

/**
 * The 403 of an authorizer's denial. `reason` follows after a colon, if there is one.
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters.ForbiddenStatusError
 */
export function forbiddenError(attributes: AuthorizationAttributes, reason: string): StatusError {
  const message = escapeMarkup(forbiddenMessage(attributes));
  const cause = new Error(reason === '' ? message : `${message}: ${reason}`);
  return newForbidden({ group: attributes.apiGroup, resource: attributes.resource }, attributes.name, cause);
}

function forbiddenMessage(attributes: AuthorizationAttributes): string {
  const user = quote(attributes.user.name);
  if (!attributes.isResourceRequest) return `User ${user} cannot ${attributes.verb} path ${quote(attributes.path)}`;
  const resource =
    attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const where =
    attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(attributes.namespace)}`;
  const what = `resource ${quote(resource)} in API group ${quote(attributes.apiGroup)}`;
  return `User ${user} cannot ${attributes.verb} ${what} ${where}`;
}
