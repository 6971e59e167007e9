import { type KubeObject, newForbidden, newInternalError } from '@apiserver/apimachinery';
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Exchange,
  ValidateObject,
} from '@apiserver/apiserver-contracts';
import type { EndpointScope } from '../scope/endpoint-scope.js';

/**
 * For updates and patches that may create: asks, once, whether the user may create the object, then goes on with
 * `validate`. Throws a 403 with the authorizer's reason.
 *
 * Upstream: withAuthorization in k8s.io/apiserver/pkg/endpoints/handlers/create.go
 */
export function withCreateAuthorization(
  scope: EndpointScope,
  exchange: Exchange,
  target: { readonly namespace: string; readonly name: string },
  validate: ValidateObject<KubeObject>,
): ValidateObject<KubeObject> {
  let asked: Promise<AuthorizationResult> | undefined;
  return async (object) => {
    asked ??= askToCreate(scope, exchange, target);
    const { decision, reason, error } = await asked;
    if (decision === 'Allow') return validate(object);
    if (error !== undefined) throw newInternalError(error);
    throw newForbidden(scope.resource, target.name, reason);
  };
}

async function askToCreate(
  { resource, subresource, environment }: EndpointScope,
  exchange: Exchange,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<AuthorizationResult> {
  const { user } = exchange.context;
  if (user === undefined) return { decision: 'NoOpinion', reason: '' };
  const attributes: AuthorizationAttributes = {
    user,
    verb: 'create',
    readOnly: false,
    isResourceRequest: true,
    apiGroup: resource.group,
    apiVersion: resource.version,
    namespace,
    resource: resource.resource,
    subresource,
    name,
    path: exchange.request.path,
  };
  return environment.authorizer.authorize(attributes, exchange.signal);
}
