import type { Exchange, RequestInfo } from '@apiserver/apiserver-contracts';

/** Labels of request metrics. */
export type RequestLabel = 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component';

/** The labels of a request that depend on more than its RequestInfo. */
export interface RequestKind {
  readonly verb: string;
  readonly dryRun: string;
  /** One object, a namespace or the cluster; "" for a path without a resource. */
  readonly scope: string;
  /** True if the size of the response is observed. */
  readonly isSized: boolean;
}

/**
 * `measuresRoute`: the place of the name tells whether a request is for one object. Otherwise a name in a field
 * selector does, too.
 */
export function requestKind(exchange: Exchange, info: RequestInfo, measuresRoute: boolean): RequestKind {
  const scope = metricsScope(info, measuresRoute);
  const verb = metricsVerb(exchange, info, scope);
  return { verb, dryRun: metricsDryRun(exchange), scope, isSized: isSized(exchange, info, measuresRoute) };
}

/**
 * The scope of a request.
 * Upstream: requestScope in k8s.io/apiserver/pkg/endpoints/installer.go; CleanScope in
 * k8s.io/apiserver/pkg/endpoints/metrics
 */
function metricsScope(info: RequestInfo, measuresRoute: boolean): string {
  if (!info.isResourceRequest) return '';
  const hasName = measuresRoute ? info.parts.length > 1 : info.name !== '';
  if (hasName || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

/**
 * The verb as metrics name it. A delete of a collection is a DELETE.
 * Upstream: k8s.io/apiserver/pkg/endpoints/metrics.cleanVerb
 */
function metricsVerb(exchange: Exchange, info: RequestInfo, scope: string): string {
  const verb = verbOf(exchange, info, scope);
  if (verb !== 'CONNECT' && info.isResourceRequest && info.verb === 'watch') return 'WATCH';
  return METHODS.has(verb) ? verb : 'other';
}

/** The verb of a request in the log. Upstream: k8s.io/apiserver/pkg/endpoints/metrics.NormalizedVerb */
export function normalizedVerb(exchange: Exchange, info: RequestInfo): string {
  return verbOf(exchange, info, metricsScope(info, false));
}

/** The method, except for connections, watches, lists and applies. Upstream: CanonicalVerb, CleanVerb */
function verbOf({ request }: Exchange, info: RequestInfo, scope: string): string {
  if (info.isResourceRequest && CONNECT_SUBRESOURCES.has(info.subresource)) return 'CONNECT';
  const { method } = request;
  if (method === 'GET' && asksForWatch(request)) return 'WATCH';
  if (method === 'GET' || method === 'HEAD') return scope === 'resource' || scope === '' ? 'GET' : 'LIST';
  if (method === 'PATCH' && request.headers.get('content-type') === 'application/apply-patch+yaml') return 'APPLY';
  return method;
}

/** Upstream: getVerbIfWatch */
function asksForWatch({ rawQuery, query }: Exchange['request']): boolean {
  if (!rawQuery.includes('watch')) return false;
  const value = query.get('watch')?.toLowerCase();
  return value !== undefined && value !== '0' && value !== 'false';
}

/** Upstream: validRequestMethods */
const METHODS: ReadonlySet<string> = new Set([
  ...['APPLY', 'CONNECT', 'CREATE', 'DELETE', 'DELETECOLLECTION', 'GET', 'LIST', 'PATCH', 'POST', 'PROXY', 'PUT'],
  ...['UPDATE', 'WATCH', 'WATCHLIST'],
]);

/** Upstream: validConnectRequests */
const CONNECT_SUBRESOURCES: ReadonlySet<string> = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

/** The deprecated path of a watch. */
const WATCH_PATH = /^\/(?:api|apis\/[^/]+)\/[^/]+\/watch\//;

/**
 * Responses to reads are measured, and those for paths without a resource. A watch is a list to a route of lists.
 * Upstream: MonitorRequest in k8s.io/apiserver/pkg/endpoints/metrics
 */
function isSized({ request }: Exchange, info: RequestInfo, measuresRoute: boolean): boolean {
  if (!info.isResourceRequest) return true;
  if (info.subresource !== 'log' && CONNECT_SUBRESOURCES.has(info.subresource)) return false;
  if (info.verb === 'watch') return measuresRoute && !WATCH_PATH.test(request.path);
  return info.verb === 'get' || info.verb === 'list';
}

/** "All" for a request that changes nothing, "" for others. Upstream: metrics.cleanDryRun */
function metricsDryRun({ request }: Exchange): string {
  if (!request.rawQuery.includes('dryRun')) return '';
  const values = request.query.getAll('dryRun');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}
