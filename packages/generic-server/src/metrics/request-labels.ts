import type { Exchange, RequestInfo } from '@apiserver/apiserver-contracts';

/** Labels of request metrics. */
export type RequestLabel = 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component';

/**
 * The scope of a request: one object, a namespace or the cluster.
 * Upstream: requestScope in k8s.io/apiserver/pkg/endpoints/installer.go
 */
export function metricsScope(info: RequestInfo): string {
  if (!info.isResourceRequest) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

const verbs: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETECOLLECTION'],
]);

/**
 * The verb as metrics name it.
 * Upstream: k8s.io/apiserver/pkg/endpoints/metrics.cleanVerb
 */
export function metricsVerb({ request }: Exchange, info: RequestInfo): string {
  if (info.verb === 'patch' && request.headers.get('content-type')?.startsWith('application/apply-patch'))
    return 'APPLY';
  if (info.verb === 'proxy' || CONNECT_SUBRESOURCES.has(info.subresource)) return 'CONNECT';
  return verbs.get(info.verb) ?? 'other';
}

const CONNECT_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** "All" for a request that changes nothing, "" for others. Upstream: metrics.cleanDryRun */
export function metricsDryRun({ request }: Exchange): string {
  if (!request.rawQuery.includes('dryRun')) return '';
  const values = request.query.getAll('dryRun');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}
