import type { GroupVersion, JsonObject } from '@apiserver/apimachinery';
import { type DocumentContext, definitionsOf } from './definitions-of-routes.js';
import { type OpenApiRoute, operationNames, type RouteBody, type RouteParameter } from './open-api-route.js';
import { type PathItem, type PathOperation, pathItems } from './path-items.js';
import { SharedParameters } from './shared-parameters.js';

/**
 * The OpenAPI 2.0 document of all routes.
 *
 * Upstream: k8s.io/kube-openapi/pkg/builder
 */
export async function documentV2(
  routes: readonly OpenApiRoute[],
  context: DocumentContext,
  everyGroupVersion: readonly GroupVersion[],
): Promise<JsonObject> {
  const definitions = await definitionsOf(routes, 'v2', context, everyGroupVersion);
  const shared = new SharedParameters();
  const paths = pathItems(routes).map((item): [string, JsonObject] => [item.path, pathObject(item, shared)]);
  return {
    swagger: '2.0',
    info: { ...context.info },
    paths: Object.fromEntries(paths),
    definitions: Object.fromEntries(definitions),
    parameters: shared.all(),
    ...(context.bearerTokens && security),
  };
}

const security: JsonObject = {
  securityDefinitions: {
    BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
  },
  security: [{ BearerToken: [] }],
};

function pathObject({ parameters, operations }: PathItem, shared: SharedParameters): JsonObject {
  const methods = [...operations].map(([method, one]): [string, JsonObject] => [method, operationObject(one, shared)]);
  const common = parameters.map((parameter) => shared.reference(queryOrPath(parameter)));
  return { ...Object.fromEntries(methods), ...(common.length > 0 && { parameters: common }) };
}

function operationObject({ route, parameters }: PathOperation, shared: SharedParameters): JsonObject {
  const { description, consumes, produces, body, action } = route;
  const all = [...(body === undefined ? [] : [bodyParameter(body)]), ...parameters.map(queryOrPath)];
  return {
    description,
    ...(consumes.length > 0 && { consumes: [...consumes] }),
    produces: [...produces],
    schemes: ['https'],
    tags: [...operationNames(route).tags],
    operationId: operationNames(route).operationId,
    ...(all.length > 0 && { parameters: all.map((parameter) => shared.reference(parameter)) }),
    responses: responsesOf(route),
    ...(action && {
      'x-kubernetes-action': action.name,
      'x-kubernetes-group-version-kind': { ...action.kind },
    }),
  };
}

function responsesOf({ responses }: OpenApiRoute): JsonObject {
  const described = responses.map(({ code, description, schema }): [string, JsonObject] => [
    String(code),
    { description, schema: schema === undefined ? { type: 'string' } : { $ref: `#/definitions/${schema.name}` } },
  ]);
  return Object.fromEntries([...described, ['401', { description: 'Unauthorized' }]]);
}

function bodyParameter({ schema, required }: RouteBody): JsonObject {
  const reference = { $ref: `#/definitions/${schema.name}` };
  return { name: 'body', in: 'body', ...(required && { required }), schema: reference };
}

/** Keys in upstream's order, which the names of shared parameters depend on. */
function queryOrPath({ name, in: place, type, description }: RouteParameter): JsonObject {
  return {
    uniqueItems: true,
    type,
    ...(description !== undefined && { description }),
    name,
    in: place,
    ...(place === 'path' && { required: true }),
  };
}
