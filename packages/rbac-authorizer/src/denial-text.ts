import { quote } from '@apiserver/apimachinery/text';
import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';
import { quoteList } from './quote-list.js';

/**
 * The log message about a denied request, at verbosity 5; administrators derive the missing rule from it.
 * Upstream: Authorize in plugin/pkg/auth/authorizer/rbac/rbac.go
 */
export function denialText(attributes: AuthorizationAttributes): string {
  const { user, namespace, isResourceRequest, verb, path } = attributes;
  const operation = isResourceRequest ? resourceOperation(attributes) : `${quote(verb)} nonResourceURL ${quote(path)}`;
  const scope = namespace === '' ? 'cluster-wide' : `in namespace ${quote(namespace)}`;
  const who = `user ${quote(user.name)} with groups ${quoteList(user.groups)}`;
  return `RBAC: no rules authorize ${who} to ${operation} ${scope}`;
}

/** The parts are quoted but not escaped, as upstream. */
function resourceOperation({ verb, resource, apiGroup, subresource, name }: AuthorizationAttributes): string {
  const qualified = `${resource}${apiGroup && `.${apiGroup}`}${subresource && `/${subresource}`}`;
  return `"${verb}" resource "${qualified}"${name && ` named "${name}"`}`;
}
