import type { GroupVersion, JsonObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import type { StructSchema } from '@apiserver/apimachinery/schema';
import { type DocumentContext, definitionsOf, gathered } from './definitions-of-routes.js';
import { type OpenApiRoute, operationNames, type RouteParameter } from './open-api-route.js';
import { type PathItem, type PathOperation, pathItems } from './path-items.js';

/**
 * The OpenAPI 3.0 document of some routes, such as those of one group version. Definitions that exist in every group
 * version name only `ownGroupVersions`.
 *
 * Upstream: k8s.io/kube-openapi/pkg/builder3
 */
export async function documentV3(
  routes: Iterable<OpenApiRoute>,
  context: DocumentContext,
  ownGroupVersions: readonly GroupVersion[],
): Promise<JsonObject> {
  const all = await inSlices(gathered(routes));
  const schemas = await definitionsOf(all, context, ownGroupVersions);
  return {
    openapi: '3.0.0',
    info: { ...context.info },
    paths: Object.fromEntries(await inSlices(pathObjects(all))),
    components: {
      schemas: Object.fromEntries(schemas),
      ...(context.bearerTokens && { securitySchemes }),
    },
  };
}

function* pathObjects(routes: readonly OpenApiRoute[]): Generator<void, readonly [string, JsonObject][]> {
  const paths: [string, JsonObject][] = [];
  for (const item of pathItems(routes)) {
    paths.push([item.path, pathObject(item)]);
    yield;
  }
  return paths;
}

const securitySchemes: JsonObject = {
  BearerToken: { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' },
};

function pathObject({ parameters, operations }: PathItem): JsonObject {
  const methods = [...operations].map(([method, operation]) => [method, operationObject(operation)]);
  return {
    ...Object.fromEntries(methods),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
  };
}

function operationObject({ route, parameters }: PathOperation): JsonObject {
  const { body, action, consumes, description } = route;
  const { operationId, tags } = operationNames(route);
  return {
    tags: [...tags],
    description,
    operationId,
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
    ...(body && {
      requestBody: { content: contentOf(consumes, body.schema), ...(body.required && { required: true }) },
    }),
    responses: responsesOf(route),
    ...(action && {
      'x-kubernetes-action': action.name,
      'x-kubernetes-group-version-kind': { ...action.kind },
    }),
  };
}

function responsesOf({ responses, produces }: OpenApiRoute): JsonObject {
  const described = responses.map(({ code, description, schema }): [string, JsonObject] => [
    String(code),
    { description, content: contentOf(produces, schema) },
  ]);
  return Object.fromEntries([...described, ['401', { description: 'Unauthorized' }]]);
}

function contentOf(mediaTypes: readonly string[], schema: StructSchema | undefined): JsonObject {
  const reference = {
    schema: schema === undefined ? { type: 'string' } : { $ref: `#/components/schemas/${schema.name}` },
  };
  return Object.fromEntries(mediaTypes.toSorted().map((mediaType) => [mediaType, reference]));
}

function parameterObject({ name, in: place, type, description }: RouteParameter): JsonObject {
  return {
    name,
    in: place,
    ...(description !== undefined && { description }),
    ...(place === 'path' && { required: true }),
    schema: { type, uniqueItems: true },
  };
}
