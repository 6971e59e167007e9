import type { GroupResource, GroupVersionResource } from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';

/** The version of a resource that goes away, as metrics name it. */
export interface DeprecatedApi extends GroupVersionResource {
  readonly subresource: string;
  /** "1.25"; "" if unknown. */
  readonly removedRelease: string;
}

/** Metrics of endpoints. Called once per watch or endpoint for the counter, so that counting needs no look-up. */
export interface EndpointMetrics {
  /** Follows a request to its end. Requests without a route are not counted: clients can invent their names. */
  request(exchange: Exchange): void;
  /** Counts an event that a watch has sent, with its size in bytes. */
  watchEvents(resource: GroupVersionResource): (bytes: number) => void;
  /** Counts a watch that was ended because its client did not keep up. */
  watchTerminated(resource: GroupResource): void;
  /** Returns the counter of requests for a deprecated version. */
  deprecatedRequests(api: DeprecatedApi): () => void;
}

/** Discards all metrics. */
export const noEndpointMetrics: EndpointMetrics = {
  request: () => {},
  watchEvents: () => () => {},
  watchTerminated: () => {},
  deprecatedRequests: () => () => {},
};
