import { newBadRequest, newMethodNotSupported, newNotFound } from '@apiserver/apimachinery/errors';
import type { Refusal, RoutingPolicy } from './routing-policy.js';

/** Verbs across all namespaces of a namespaced resource. */
const ACROSS_NAMESPACES: ReadonlySet<string> = new Set(['list', 'watch']);
/** A patch needs one too; its handler checks the type of the patch first. */
const NEED_NAME: ReadonlySet<string> = new Set(['get', 'update', 'delete']);

const noSuchSubresource: Refusal = {
  isHandled: false,
  warns: true,
  errorFor: ({ scope }, info) => newNotFound(scope.resource, info.name),
};
const verbNotSupported: Refusal = {
  isHandled: false,
  warns: true,
  errorFor: ({ scope }, info) => newMethodNotSupported(scope.resource, info.verb),
};
const nameless: Refusal = { isHandled: true, errorFor: () => newBadRequest('name must be provided') };

/**
 * Upstream has no routes for custom resources. The verb of RequestInfo decides, and a path with another scope belongs
 * to no endpoint. The resource also handles requests for unknown subresources.
 *
 * Upstream: ServeHTTP in k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export const customRouting: RoutingPolicy = {
  destinationOf: ({ scope, verbs }, _method, info) => {
    const inNamespace = info.namespace !== '';
    if (inNamespace && !scope.namespaced) return undefined;
    if (scope.namespaced && !inNamespace && !ACROSS_NAMESPACES.has(info.verb)) return undefined;
    if (info.subresource !== scope.subresource) return noSuchSubresource;
    if (!verbs.has(info.verb)) return verbNotSupported;
    return NEED_NAME.has(info.verb) && info.name === '' ? nameless : info.verb;
  },
  measuresRoutes: false,
  checksMediaTypes: false,
  servesUnknownSubresources: true,
  leavesUnknownPaths: true,
};
