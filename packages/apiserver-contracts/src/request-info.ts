/** The meaning of a path, parsed once per request. Upstream: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** A Kubernetes verb for resource requests (get, list, watch, create, …), otherwise the lower-case HTTP method. */
  readonly verb: string;
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on, at most those among the path's first thousand. */
  readonly parts: readonly string[];
  /** As sent, for authorization by selector; "" if absent. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}
