import type { Exchange, Handler, RequestInfo } from '@apiserver/apiserver-contracts';
import { respondError } from '../responses/respond-error.js';
import type { EndpointScope } from '../scope/endpoint-scope.js';
import type { Refusal } from '../semantics/routing-policy.js';
import { type Deprecation, deprecationOf } from './deprecation.js';
import { routeMediaTypesCheck } from './route-media-types.js';
import { tracedVerb } from './traced-verb.js';
import type { VerbHandler, VerbHandlers } from './verb-routes.js';

/** One resource or subresource in one version, with its paths and methods. */
export interface Endpoint {
  readonly scope: EndpointScope;
  readonly verbs: VerbHandlers;
  /**
   * The handler of a request whose RequestInfo names this endpoint, including those for 404 and 405. Undefined: the
   * path belongs to no endpoint, and the next server of the chain responds.
   */
  handlerFor(exchange: Exchange, info: RequestInfo): Handler | undefined;
}

/** Runs before the handler of a request; throws to reject it. */
type Step = (exchange: Exchange) => void;

/** Routes an endpoint's verbs, by the routing policy of its resource. */
export function createEndpoint(scope: EndpointScope, verbs: VerbHandlers): Endpoint {
  const { routing } = scope.resourcePolicy;
  const target = { scope, verbs };
  const deprecation = deprecationOf(scope);
  let handlers: Map<string, Handler> | undefined;
  // Most verbs of most endpoints are never requested.
  const handlerOf = (verb: string): Handler | undefined => {
    const known = handlers?.get(verb);
    const bare = verbs.get(verb);
    if (known !== undefined || bare === undefined) return known;
    const handle = tracedVerb(verb, bare);
    const checkMediaTypes = routing.checksMediaTypes ? routeMediaTypesCheck(scope, verb) : undefined;
    const handler = route(scope, handle, { checkMediaTypes, deprecation });
    handlers ??= new Map();
    handlers.set(verb, handler);
    return handler;
  };
  const { logger, cbor } = scope.environment;
  const refusal = ({ isHandled, warns, errorFor }: Refusal, info: RequestInfo): Handler => {
    if (!isHandled) {
      return (exchange) => {
        if (warns) deprecation?.warn(exchange);
        return respondError(exchange, errorFor(target, info), logger, cbor);
      };
    }
    const refuse = async () => {
      throw errorFor(target, info);
    };
    return route(scope, refuse, { deprecation });
  };
  return {
    scope,
    verbs,
    handlerFor: (exchange, info) => {
      const destination = routing.destinationOf(target, exchange.request.method, info);
      if (destination === undefined) return undefined;
      return typeof destination === 'string' ? handlerOf(destination) : refusal(destination, info);
    },
  };
}

interface Steps {
  readonly checkMediaTypes?: Step | undefined;
  readonly deprecation: Deprecation | undefined;
}

function route(scope: EndpointScope, handler: VerbHandler, { checkMediaTypes, deprecation }: Steps): Handler {
  const { logger, metrics, cbor } = scope.environment;
  const { measuresRoutes } = scope.resourcePolicy.routing;
  return async (exchange) => {
    try {
      checkMediaTypes?.(exchange);
      metrics.request(exchange, measuresRoutes);
      deprecation?.warn(exchange);
      deprecation?.note(exchange);
      return await handler(exchange);
    } catch (error) {
      return respondError(exchange, error, logger, cbor);
    }
  };
}
