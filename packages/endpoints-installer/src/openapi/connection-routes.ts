import type { Describe } from '@apiserver/api';
import type { InstalledResource, RestStorage } from '@apiserver/apiserver-contracts';
import type { HttpMethod, OpenApiRoute, RouteParameter } from './open-api-route.js';
import { queryParameters } from './route-parameters.js';
import { itemPlace, type Place, type Template } from './route-template.js';

/** Upstream: the CONNECT actions of registerResourceHandlers */
const ANYTHING = ['*/*'];
const text = { code: 200, description: 'OK', schema: undefined };

const pathParameter: RouteParameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  description: 'path to the resource',
};

/** The routes of a subresource that is a connection or a stream of bytes. Undefined for other subresources. */
export function connectionRoutes(template: Template, describe: Describe): readonly OpenApiRoute[] | undefined {
  const { connecter, streamer } = storageOf(template);
  if (streamer !== undefined) return [streamRoute(template, queryParameters(streamer.optionsSchema.schema, describe))];
  if (connecter === undefined) return undefined;
  const place = itemPlace(template, template.endpoint.schema.gvk.kind);
  const places = connecter.pathOption === undefined ? [place] : [place, withPath(place)];
  const options = queryParameters(template.object, describe);
  return places.flatMap((at) => connecter.methods.map((method) => connectRoute(template, at, method, options)));
}

function storageOf({ endpoint: { installed, subresource } }: Template): RestStorage {
  const { subresources }: InstalledResource = installed;
  return subresources[subresource] ?? {};
}

function withPath({ path, parameters, name }: Place): Place {
  return { path: `${path}/{path}`, parameters: [...parameters, pathParameter], name: `${name}WithPath` };
}

function connectRoute(
  { endpoint, kind }: Template,
  { path, parameters, name }: Place,
  method: string,
  options: readonly RouteParameter[],
): OpenApiRoute {
  return {
    path,
    method: methodOf(method),
    operation: `connect${method.charAt(0)}${method.slice(1).toLowerCase()}${name}`,
    description: `connect ${method} requests to ${endpoint.subresource} of ${kind}`,
    consumes: ANYTHING,
    produces: ANYTHING,
    parameters: [...parameters, ...options],
    responses: [text],
    action: { name: 'connect', kind: endpoint.schema.gvk },
  };
}

function streamRoute(template: Template, options: readonly RouteParameter[]): OpenApiRoute {
  const { endpoint, kind, mediaTypes } = template;
  const { path, parameters, name } = itemPlace(template, kind);
  return {
    path,
    method: 'get',
    operation: `read${name}`,
    description: `read ${endpoint.subresource} of the specified ${kind}`,
    consumes: ANYTHING,
    produces: ['text/plain', ...mediaTypes],
    parameters: [...parameters, template.parameters.pretty, ...options],
    responses: [text],
    action: { name: 'get', kind: endpoint.schema.gvk },
  };
}

const METHODS: readonly HttpMethod[] = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** Throws a TypeError for a method that OpenAPI does not know, which is a mistake in a definition. */
function methodOf(method: string): HttpMethod {
  const known = METHODS.find((candidate) => candidate === method.toLowerCase());
  if (known === undefined) throw new TypeError(`OpenAPI does not know the method ${method}`);
  return known;
}
