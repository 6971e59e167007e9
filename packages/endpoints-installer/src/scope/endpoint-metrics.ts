import type { GroupResource, GroupVersionResource } from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';

/** A deprecated version of a resource, for metrics. */
export interface DeprecatedApi extends GroupVersionResource {
  readonly subresource: string;
  /** "1.25"; "" if unknown. */
  readonly removedRelease: string;
}

/** The verb of a request with a body, as metrics name it. */
export type BodyVerb = 'create' | 'update' | 'patch' | 'delete' | 'delete_collection';

/** Told of work that has gone on after its request had timed out. `pending`: it goes on still. */
export type PostTimeoutObserver = (
  source: 'timeout-handler' | 'rest-handler',
  status: 'ok' | 'error' | 'panic' | 'pending',
) => void;

/** Metrics of endpoints. Called once per watch or endpoint for the counter, so that counting needs no look-up. */
export interface EndpointMetrics {
  /**
   * Tracks a request to its end. Requests without a route are not counted, because clients choose their names.
   * `measuresRoute`: see RoutingPolicy.
   */
  request(exchange: Exchange, measuresRoute: boolean): void;
  /** Counts an event that a watch has sent, with its size in bytes. */
  watchEvents(resource: GroupVersionResource): (bytes: number) => void;
  /** Counts a watch that was ended because its client did not keep up. */
  watchTerminated(resource: GroupResource): void;
  /** Observes when the initial events of a watch were sent, after this many seconds. */
  watchListed(resource: GroupVersionResource, scope: 'cluster' | 'namespace' | 'resource', seconds: number): void;
  /** Observes the size of a body that was read. */
  requestBody(resource: GroupResource, verb: BodyVerb, bytes: number): void;
  readonly afterTimeout: PostTimeoutObserver;
  /** Returns the counter of requests for a deprecated version. */
  deprecatedRequests(api: DeprecatedApi): () => void;
}

/** Discards all metrics. */
export const noEndpointMetrics: EndpointMetrics = {
  request: () => {},
  watchEvents: () => () => {},
  watchTerminated: () => {},
  watchListed: () => {},
  requestBody: () => {},
  afterTimeout: () => {},
  deprecatedRequests: () => () => {},
};
