import type { StatusError } from '@apiserver/apimachinery/errors';
import type { RequestInfo, RequestScope } from '@apiserver/apiserver-contracts';

/** The scope and the verbs of an endpoint, for routing. */
export interface RouteTarget {
  readonly scope: Pick<RequestScope, 'namespaced' | 'resource' | 'subresource'>;
  readonly verbs: ReadonlyMap<string, unknown>;
}

/** The rejection of a request for an endpoint without a matching verb. */
export interface Refusal {
  /** True if metrics count the request and a deprecated version warns, because upstream rejects it in the handler. */
  readonly isHandled: boolean;
  /** True if a deprecated version warns although the handler is not reached. */
  readonly warns?: boolean;
  errorFor(target: RouteTarget, info: RequestInfo): StatusError;
}

/** The verb of a request, or its rejection. */
type Destination = string | Refusal;

/** Maps requests to the verbs of an endpoint. */
export interface RoutingPolicy {
  /**
   * Finds the destination of a request whose RequestInfo names the endpoint. A returned verb is one of the target's.
   * Undefined: the path belongs to no endpoint, and the next server of the chain responds.
   */
  destinationOf(target: RouteTarget, method: string, info: RequestInfo): Destination | undefined;
  /** True if metrics name the scope of a route; otherwise that of the RequestInfo. */
  readonly measuresRoutes: boolean;
  /** True if routes reject unknown media types before the handler. */
  readonly checksMediaTypes: boolean;
  /** True if the resource handles requests for unknown subresources. */
  readonly servesUnknownSubresources: boolean;
  /** True if a group with only such resources leaves unknown paths to the next server of the chain. */
  readonly leavesUnknownPaths: boolean;
}
