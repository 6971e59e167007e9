import type { GroupVersionResource } from '@apiserver/apimachinery';

/** The version of a resource that goes away, as metrics name it. */
export interface DeprecatedApi extends GroupVersionResource {
  readonly subresource: string;
  /** "1.25"; "" when nobody has said when. */
  readonly removedRelease: string;
}

/** What endpoints count. Asked once per watch or endpoint for what counts, so that counting itself looks nothing up. */
export interface EndpointMetrics {
  /** Counts an event that a watch has sent, with its size in bytes. */
  watchEvents(resource: GroupVersionResource): (bytes: number) => void;
  /** Notes that a deprecated version was asked for. */
  deprecatedRequests(api: DeprecatedApi): () => void;
}

/** Counts nothing. */
export const noEndpointMetrics: EndpointMetrics = {
  watchEvents: () => () => {},
  deprecatedRequests: () => () => {},
};
