import { newBadRequest, newMethodNotSupported, newNotFound } from '@apiserver/apimachinery/errors';
import type { Exchange, Handler } from '@apiserver/apiserver-contracts';
import { respondError } from '../responses/respond-error.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { deprecationOf } from './deprecation.js';
import type { Endpoint } from './endpoint.js';
import type { VerbHandler, VerbHandlers } from './verb-routes.js';

/** Verbs that go to all namespaces of a namespaced resource. */
const acrossNamespaces: ReadonlySet<string> = new Set(['list', 'watch']);
const needName: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/**
 * Puts the verbs of a custom resource behind its paths. Upstream has no routes for them: the verb that the path stands for
 * decides, and a path that does not fit the scope is nobody's. The resource itself is also asked for subresources that it
 * does not have.
 *
 * Upstream: ServeHTTP in k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export function createCustomEndpoint(scope: EndpointScope, verbs: VerbHandlers): Endpoint {
  const noteDeprecation = deprecationOf(scope);
  const handlers = new Map([...verbs].map(([verb, handler]) => [verb, route(scope, handler, noteDeprecation)]));
  const nameless = route(scope, needsName, noteDeprecation);
  return {
    scope,
    verbs,
    handlerFor: (_exchange, info) => {
      const inNamespace = info.namespace !== '';
      if (inNamespace && !scope.namespaced) return undefined;
      if (scope.namespaced && !inNamespace && !acrossNamespaces.has(info.verb)) return undefined;
      if (info.subresource !== scope.subresource) return refusal(scope, () => newNotFound(scope.resource, info.name));
      const handler = handlers.get(info.verb);
      if (handler === undefined) return refusal(scope, () => newMethodNotSupported(scope.resource, info.verb));
      return needName.has(info.verb) && info.name === '' ? nameless : handler;
    },
  };
}

async function needsName(): Promise<never> {
  throw newBadRequest('name must be provided');
}

function route(
  scope: EndpointScope,
  handler: VerbHandler,
  noteDeprecation: ((exchange: Exchange) => void) | undefined,
) {
  const { metrics } = scope.environment;
  return async (exchange: Exchange) => {
    try {
      metrics.request(exchange);
      noteDeprecation?.(exchange);
      return await handler(exchange);
    } catch (error) {
      return respondError(exchange, error, scope.environment.logger, scope.environment.cbor);
    }
  };
}

function refusal(scope: EndpointScope, makeError: () => Error): Handler {
  return (exchange) => respondError(exchange, makeError(), scope.environment.logger, scope.environment.cbor);
}
