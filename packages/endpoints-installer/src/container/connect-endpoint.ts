import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { ConnectEndpoint, Connecter, Exchange, Handler, RequestInfo } from '@apiserver/apiserver-contracts';
import { handleConnect } from '../handlers/connect.js';
import { respondError } from '../responses/respond-error.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import { pathShapeOf } from '../semantics/path-shape.js';
import type { Endpoint } from './endpoint.js';
import type { VerbHandler } from './verb-routes.js';

/** Verbs of methods in discovery. Other methods are not listed. */
const VERB_OF_METHOD: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The verbs under which discovery lists a connection. Upstream: toDiscoveryKubeVerb in endpoints/installer.go */
export function connectVerbs({ methods }: ConnectEndpoint): readonly string[] {
  return methods.flatMap((method) => VERB_OF_METHOD[method] ?? []);
}

/**
 * Routes a connection's path, and every path below it if it accepts one. The target responds, whatever the client's
 * Accept header.
 *
 * Upstream: the CONNECT actions of registerResourceHandlers in k8s.io/apiserver/pkg/endpoints/installer.go
 */
export function createConnectEndpoint(scope: EndpointScope, storage: Connecter): Endpoint {
  const { connecter } = storage;
  const connect: VerbHandler = (exchange) => handleConnect(scope, storage, exchange);
  const handler = route(scope, connect);
  const notFound = refusal(scope, 404);
  const methodNotAllowed = refusal(scope, 405);
  return {
    scope,
    verbs: new Map(connectVerbs(connecter).map((verb) => [verb, connect])),
    handlerFor: ({ request }, info) => {
      if (!isAt(scope, info, connecter.pathOption !== undefined)) return notFound;
      return connecter.methods.includes(request.method) ? handler : methodNotAllowed;
    },
  };
}

/** Reports whether a path is that of the connection, or below it if it accepts such paths. */
function isAt(scope: EndpointScope, info: RequestInfo, takesPath: boolean): boolean {
  const { verbInPath, inNamespace } = pathShapeOf(info);
  if (verbInPath || inNamespace !== scope.namespaced) return false;
  return info.parts.length === 3 || (takesPath && info.parts.length > 3);
}

function route(scope: EndpointScope, connect: VerbHandler): Handler {
  const { logger, metrics, cbor } = scope.environment;
  return async (exchange: Exchange) => {
    try {
      metrics.request(exchange, scope.resourcePolicy.routing.measuresRoutes);
      return await connect(exchange);
    } catch (error) {
      return respondError(exchange, error, logger, cbor);
    }
  };
}

function refusal(scope: EndpointScope, code: 404 | 405): Handler {
  return (exchange) =>
    respondError(exchange, newGenericServerResponse({ code }), scope.environment.logger, scope.environment.cbor);
}
