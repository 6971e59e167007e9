import { newGenericServerResponse, newMethodNotSupported } from '@apiserver/apimachinery/errors';
import type { RequestInfo } from '@apiserver/apiserver-contracts';
import { type PathShape, pathShapeOf } from './path-shape.js';
import type { Refusal, RouteTarget, RoutingPolicy } from './routing-policy.js';

/** The position of a request's path. */
type Place = 'collection' | 'allNamespaces' | 'item' | 'subresource';
type VerbsByMethod = Readonly<Record<string, string>>;

/** GET of a collection is a list or a watch. Both use the list route. */
const verbsByPlace: Readonly<Record<Place, VerbsByMethod>> = {
  collection: { GET: 'list', POST: 'create', DELETE: 'deletecollection' },
  allNamespaces: { GET: 'list' },
  item: { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  subresource: { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete', POST: 'create' },
};

const notFound: Refusal = { isHandled: false, errorFor: () => newGenericServerResponse({ code: 404 }) };
const methodNotAllowed: Refusal = { isHandled: false, errorFor: () => newGenericServerResponse({ code: 405 }) };
const watchNotSupported: Refusal = {
  isHandled: false,
  errorFor: ({ scope }) => newMethodNotSupported(scope.resource, 'watch'),
};

/**
 * Built-in resources have routes, as upstream: a path has exactly the segments of the resource's scope. Other paths are
 * a 404, methods without a verb a 405.
 *
 * Upstream: registerResourceHandlers in k8s.io/apiserver/pkg/endpoints/installer.go
 */
export const builtInRouting: RoutingPolicy = {
  destinationOf: (target, method, info) => {
    const { scope, verbs } = target;
    const shape = pathShapeOf(info);
    const place = placeOf(scope, info, shape);
    if (place === undefined) return notFound;
    if (shape.verbInPath) {
      if (info.verb !== 'watch' || place === 'subresource' || !verbs.has('watch')) return notFound;
      return method === 'GET' ? 'watch' : methodNotAllowed;
    }
    const byMethod = verbsByPlace[place];
    const verb = byMethod[method];
    if (verb === undefined || !verbs.has(verb)) return hasRoute(byMethod, target) ? methodNotAllowed : notFound;
    if (verb === 'list' && info.verb === 'watch') return verbs.has('watch') ? 'watch' : watchNotSupported;
    return verb;
  },
  measuresRoutes: true,
  checksMediaTypes: true,
  servesUnknownSubresources: false,
  leavesUnknownPaths: false,
};

function placeOf(scope: RouteTarget['scope'], info: RequestInfo, { inNamespace }: PathShape): Place | undefined {
  if (inNamespace && !scope.namespaced) return undefined;
  const depth = info.parts.length;
  if (depth === 1) return scope.namespaced && !inNamespace ? 'allNamespaces' : 'collection';
  if (inNamespace !== scope.namespaced) return undefined;
  if (scope.subresource === '') return depth === 2 ? 'item' : undefined;
  return depth === 3 ? 'subresource' : undefined;
}

/** Reports whether a place serves any method; otherwise the path does not exist. */
function hasRoute(byMethod: VerbsByMethod, { verbs }: RouteTarget): boolean {
  return Object.values(byMethod).some((verb) => verbs.has(verb));
}
