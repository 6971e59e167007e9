import type { AuthorizationAttributes } from './authorization.js';
import type { RequestInfo } from './request-info.js';
import type { UserInfo } from './user-info.js';

/** An access to a resource, to authorize beside the request itself. Its absent strings are "". */
export type ResourceAccess = Pick<AuthorizationAttributes, 'verb' | 'apiGroup' | 'apiVersion' | 'resource'> &
  Partial<
    Pick<AuthorizationAttributes, 'namespace' | 'subresource' | 'name' | 'path' | 'fieldSelector' | 'labelSelector'>
  >;

/**
 * Reports whether a verb only reads.
 * Upstream: k8s.io/apiserver/pkg/authorization/authorizer.AttributesRecord.IsReadOnly
 */
export function isReadOnlyVerb(verb: string): boolean {
  return verb === 'get' || verb === 'list' || verb === 'watch';
}

/**
 * The attributes of a request itself, without its selectors.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters.GetAuthorizerAttributes
 */
export function requestAttributes<User extends UserInfo | undefined>(
  info: RequestInfo,
  user: User,
): Omit<AuthorizationAttributes, 'user'> & { readonly user: User } {
  return {
    user,
    verb: info.verb,
    readOnly: isReadOnlyVerb(info.verb),
    isResourceRequest: info.isResourceRequest,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    namespace: info.namespace,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name,
    path: info.path,
  };
}

/** The attributes of an access to a resource. */
export function resourceAttributes(user: UserInfo, access: ResourceAccess): AuthorizationAttributes {
  const { verb, apiGroup, apiVersion, resource, fieldSelector, labelSelector } = access;
  const { namespace = '', subresource = '', name = '', path = '' } = access;
  return {
    user,
    verb,
    readOnly: isReadOnlyVerb(verb),
    isResourceRequest: true,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name,
    path,
    ...(fieldSelector === undefined ? undefined : { fieldSelector }),
    ...(labelSelector === undefined ? undefined : { labelSelector }),
  };
}

/** The attributes of an access to a path that is no resource. */
export function pathAttributes(user: UserInfo, verb: string, path: string): AuthorizationAttributes {
  return {
    user,
    verb,
    readOnly: isReadOnlyVerb(verb),
    isResourceRequest: false,
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    path,
  };
}
