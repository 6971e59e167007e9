import type { GroupResource, GroupVersionResource } from '@apiserver/apimachinery';
import type { Exchange } from '@apiserver/apiserver-contracts';

/** The version of a resource that goes away, as metrics name it. */
export interface DeprecatedApi extends GroupVersionResource {
  readonly subresource: string;
  /** "1.25"; "" when nobody has said when. */
  readonly removedRelease: string;
}

/** What endpoints count. Asked once per watch or endpoint for what counts, so that counting itself looks nothing up. */
export interface EndpointMetrics {
  /** Follows a request to its end. Those without a route are not told: anybody can make up names for them. */
  request(exchange: Exchange): void;
  /** Counts an event that a watch has sent, with its size in bytes. */
  watchEvents(resource: GroupVersionResource): (bytes: number) => void;
  /** Counts a watch that was ended because its client did not keep up. */
  watchTerminated(resource: GroupResource): void;
  /** Notes that a deprecated version was asked for. */
  deprecatedRequests(api: DeprecatedApi): () => void;
}

/** Counts nothing. */
export const noEndpointMetrics: EndpointMetrics = {
  request: () => {},
  watchEvents: () => () => {},
  watchTerminated: () => {},
  deprecatedRequests: () => () => {},
};
