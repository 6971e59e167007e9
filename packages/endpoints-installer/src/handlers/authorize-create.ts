import type { KubeObject } from '@apiserver/apimachinery';
import { newInternalError } from '@apiserver/apimachinery/errors';
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Exchange,
  ValidateObject,
} from '@apiserver/apiserver-contracts';
import { forbiddenError } from '../responses/forbidden-error.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/**
 * For updates and patches that may create: checks once whether the user may create the object, then calls `validate`.
 * Throws a 403 with the authorizer's reason.
 *
 * Upstream: withAuthorization in k8s.io/apiserver/pkg/endpoints/handlers/update.go
 */
export function withCreateAuthorization(
  scope: EndpointScope,
  exchange: Exchange,
  target: { readonly namespace: string; readonly name: string },
  validate: ValidateObject<KubeObject>,
): ValidateObject<KubeObject> {
  let authorized: Promise<AuthorizationResult> | undefined;
  return async (object) => {
    const { user } = exchange.context;
    if (user === undefined) throw new TypeError('the request was not authenticated');
    const attributes = attributesOf(scope, exchange, { ...target, user });
    authorized ??= Promise.resolve(scope.environment.authorizer.authorize(attributes, exchange.signal));
    const { decision, reason, error } = await authorized;
    if (decision === 'Allow') return validate(object);
    throw error === undefined ? forbiddenError(attributes, reason) : newInternalError(error);
  };
}

function attributesOf(
  { resource, subresource }: EndpointScope,
  { request }: Exchange,
  who: Pick<AuthorizationAttributes, 'namespace' | 'name' | 'user'>,
): AuthorizationAttributes {
  return {
    ...who,
    verb: 'create',
    readOnly: false,
    isResourceRequest: true,
    path: request.path,
    subresource,
    apiGroup: resource.group,
    apiVersion: resource.version,
    resource: resource.resource,
  };
}
