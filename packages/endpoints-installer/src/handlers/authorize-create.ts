import type { KubeObject } from '@apiserver/apimachinery';
import { newInternalError } from '@apiserver/apimachinery/errors';
import {
  type AuthorizationResult,
  type Exchange,
  resourceAttributes,
  type ValidateObject,
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
    const attributes = resourceAttributes(user, { ...target, ...creation(scope), path: exchange.request.path });
    authorized ??= Promise.resolve(scope.environment.authorizer.authorize(attributes, exchange.signal));
    const { decision, reason, error } = await authorized;
    if (decision === 'Allow') return validate(object);
    throw error === undefined ? forbiddenError(attributes, reason) : newInternalError(error);
  };
}

function creation({ resource: { group, version, resource }, subresource }: EndpointScope) {
  return { verb: 'create', apiGroup: group, apiVersion: version, resource, subresource };
}
