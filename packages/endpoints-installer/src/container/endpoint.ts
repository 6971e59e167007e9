import { newGenericServerResponse, newMethodNotSupported } from '@apiserver/apimachinery/errors';
import type { Exchange, Handler, RequestInfo } from '@apiserver/apiserver-contracts';
import { respondError } from '../responses/respond-error.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { deprecationOf } from './deprecation.js';
import { type PathShape, pathShapeOf } from './path-shape.js';
import { routeMediaTypesCheck } from './route-media-types.js';
import type { VerbHandler, VerbHandlers } from './verb-routes.js';

/** One resource or subresource in one version: which paths and methods it has. */
export interface Endpoint {
  readonly scope: EndpointScope;
  readonly verbs: VerbHandlers;
  /**
   * The handler of a request whose RequestInfo names this endpoint: 404 and 405 are answers too. Undefined: such a path is
   * nobody's, and the next server of the chain says so.
   */
  handlerFor(exchange: Exchange, info: RequestInfo): Handler | undefined;
}

/** Where in a path a request stands. */
type Place = 'collection' | 'allNamespaces' | 'item' | 'subresource';
type VerbsByMethod = Readonly<Record<string, string>>;

/** GET of a collection is a list or a watch; both count as the list route. */
const verbsByPlace: Readonly<Record<Place, VerbsByMethod>> = {
  collection: { GET: 'list', POST: 'create', DELETE: 'deletecollection' },
  allNamespaces: { GET: 'list' },
  item: { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  subresource: { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete', POST: 'create' },
};

/**
 * Puts an endpoint's verbs behind its paths. A path has exactly the segments that the resource's scope gives it, as
 * upstream's routes: anything else is 404, a method without a verb 405.
 *
 * Upstream: registerResourceHandlers in k8s.io/apiserver/pkg/endpoints/installer.go
 */
export function createEndpoint(scope: EndpointScope, verbs: VerbHandlers): Endpoint {
  const noteDeprecation = deprecationOf(scope);
  const handlers = new Map([...verbs].map(([verb, handler]) => [verb, route(scope, verb, handler, noteDeprecation)]));
  const notFound = refusal(scope, () => newGenericServerResponse({ code: 404 }));
  const methodNotAllowed = refusal(scope, () => newGenericServerResponse({ code: 405 }));
  const watchNotSupported = refusal(scope, () => newMethodNotSupported(scope.resource, 'watch'));
  return {
    scope,
    verbs,
    handlerFor: (exchange, info) => {
      const { method } = exchange.request;
      const shape = pathShapeOf(info);
      const place = placeOf(scope, info, shape);
      if (place === undefined) return notFound;
      if (shape.verbInPath) {
        if (info.verb !== 'watch' || place === 'subresource' || !handlers.has('watch')) return notFound;
        return (method === 'GET' && handlers.get('watch')) || methodNotAllowed;
      }
      const byMethod = verbsByPlace[place];
      const verb = byMethod[method];
      const handler = verb === undefined ? undefined : handlers.get(verb);
      if (handler === undefined) return hasRoute(byMethod, verbs) ? methodNotAllowed : notFound;
      if (verb === 'list' && info.verb === 'watch') return handlers.get('watch') ?? watchNotSupported;
      return handler;
    },
  };
}

function placeOf(scope: EndpointScope, info: RequestInfo, { inNamespace }: PathShape): Place | undefined {
  if (inNamespace && !scope.namespaced) return undefined;
  const depth = info.parts.length;
  if (depth === 1) return scope.namespaced && !inNamespace ? 'allNamespaces' : 'collection';
  if (inNamespace !== scope.namespaced) return undefined;
  if (scope.subresource === '') return depth === 2 ? 'item' : undefined;
  return depth === 3 ? 'subresource' : undefined;
}

/** Whether any method is served at a place; where none is, there is no such path. */
function hasRoute(byMethod: VerbsByMethod, verbs: VerbHandlers): boolean {
  return Object.values(byMethod).some((verb) => verbs.has(verb));
}

function route(
  scope: EndpointScope,
  verb: string,
  handler: VerbHandler,
  noteDeprecation: ((exchange: Exchange) => void) | undefined,
): Handler {
  const { logger, metrics, cbor } = scope.environment;
  const checkMediaTypes = routeMediaTypesCheck(scope, verb);
  return async (exchange) => {
    try {
      checkMediaTypes(exchange);
      metrics.request(exchange);
      noteDeprecation?.(exchange);
      return await handler(exchange);
    } catch (error) {
      return respondError(exchange, error, logger, cbor);
    }
  };
}

function refusal(scope: EndpointScope, makeError: () => Error): Handler {
  return (exchange) => respondError(exchange, makeError(), scope.environment.logger, scope.environment.cbor);
}
