import type { StatusError } from '@apiserver/apimachinery/errors';
import type { RequestInfo, RequestScope } from '@apiserver/apiserver-contracts';

/** An endpoint as routing sees it: its scope, and the verbs that it has. */
export interface RouteTarget {
  readonly scope: Pick<RequestScope, 'namespaced' | 'resource' | 'subresource'>;
  readonly verbs: ReadonlyMap<string, unknown>;
}

/** Why a path that the endpoint answers leads to none of its verbs. */
export interface Refusal {
  /** Metrics count the request, and a deprecated version warns: upstream refuses it in the handler. */
  readonly isHandled: boolean;
  errorFor(target: RouteTarget, info: RequestInfo): StatusError;
}

/** The verb that a request goes to, or a refusal. */
type Destination = string | Refusal;

/** How requests find the verbs of an endpoint. */
export interface RoutingPolicy {
  /**
   * Finds the destination of a request whose RequestInfo names the endpoint. A returned verb is one of the target's.
   * Undefined: the path belongs to no endpoint, and the next server of the chain answers.
   */
  destinationOf(target: RouteTarget, method: string, info: RequestInfo): Destination | undefined;
  /** Routes refuse unknown media types before their handler is called. */
  readonly checksMediaTypes: boolean;
  /** The resource also answers for subresources that it does not have. */
  readonly answersUnknownSubresources: boolean;
  /** In a group of such resources alone, unknown paths are left to the next server of the chain. */
  readonly leavesUnknownPaths: boolean;
}
