import type { JsonObject } from '@apiserver/apimachinery';
import { openApiDefinitionSteps } from '@apiserver/apimachinery/openapi';
import { type DocumentContext, gathered, schemasOf } from './definitions-of-routes.js';
import { type OpenApiRoute, operationNames, type RouteBody, type RouteParameter } from './open-api-route.js';
import { type PathItem, type PathOperation, pathItems } from './path-items.js';
import { type ParameterNames, SharedParameters } from './shared-parameters.js';

type Texts = ReadonlyMap<string, string>;

/** The part of some routes in the OpenAPI 2.0 document, as JSON by name. */
export interface FragmentV2 {
  readonly paths: readonly (readonly [path: string, text: string])[];
  /** Of all types that the routes take and give, without their kinds: other groups determine those too. */
  readonly definitions: Texts;
  readonly parameters: Texts;
}

/** Texts that all fragments of a document share. */
export interface SharedTexts {
  readonly parameterNames: ParameterNames;
  /** The last text of each definition: most are the same in every fragment. */
  readonly definitions: Map<string, string>;
}

/** Writes the fragment of some routes, in steps. */
export function* fragmentV2(
  routes: Iterable<OpenApiRoute>,
  { enums, describe }: Pick<DocumentContext, 'enums' | 'describe'>,
  texts: SharedTexts,
): Generator<void, FragmentV2> {
  const all = yield* gathered(routes);
  const shared = new SharedParameters(texts.parameterNames);
  const paths: (readonly [path: string, text: string])[] = [];
  for (const item of pathItems(all)) {
    paths.push([item.path, JSON.stringify(pathObject(item, shared))]);
    yield;
  }
  const made = yield* openApiDefinitionSteps(all.flatMap(schemasOf), { version: 'v2', enums, describe });
  const definitions = new Map<string, string>();
  for (const [name, one] of made) {
    definitions.set(name, onlyText(name, one, texts));
    yield;
  }
  return {
    paths,
    definitions,
    parameters: new Map(Object.entries(shared.all()).map(([name, one]) => [name, JSON.stringify(one)])),
  };
}

/** The text of a definition; equal ones are the same string, so that they take memory once. */
function onlyText(name: string, definition: JsonObject, { definitions }: SharedTexts): string {
  const text = JSON.stringify(definition);
  const known = definitions.get(name);
  if (known === text) return known;
  definitions.set(name, text);
  return text;
}

function pathObject({ parameters, operations }: PathItem, shared: SharedParameters): JsonObject {
  const methods = [...operations].map(([method, one]): [string, JsonObject] => [method, operationObject(one, shared)]);
  const common = parameters.map((parameter) => shared.reference(queryOrPath(parameter)));
  return { ...Object.fromEntries(methods), ...(common.length > 0 && { parameters: common }) };
}

function operationObject({ route, parameters }: PathOperation, shared: SharedParameters): JsonObject {
  const { description, consumes, produces, body, action } = route;
  const { operationId, tags } = operationNames(route);
  const all = [...(body === undefined ? [] : [bodyParameter(body)]), ...parameters.map(queryOrPath)];
  return {
    description,
    ...(consumes.length > 0 && { consumes: [...consumes] }),
    produces: [...produces],
    schemes: ['https'],
    tags: [...tags],
    operationId,
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

/** Keys are in upstream's order, because the names of shared parameters depend on it. */
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
