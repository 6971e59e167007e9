import { type Exchange, type RequestInfo, type TraceAttributes, tracedAuditId } from '@apiserver/apiserver-contracts';

/**
 * The attributes of a handler's span. Upstream: traceFields of k8s.io/apiserver/pkg/endpoints/handlers/trace_util.go
 */
export function traceFields(exchange: Exchange): TraceAttributes {
  const { context, request, responseHeaders } = exchange;
  return {
    accept: request.headers.get('accept') ?? '',
    'audit-id': tracedAuditId(responseHeaders),
    client: request.remoteAddress,
    protocol: `HTTP/${request.httpVersion}`,
    url: request.path,
    'user-agent': truncated(request.headers.get('user-agent') ?? ''),
    ...(context.requestInfo && resourceFields(context.requestInfo)),
  };
}

function resourceFields(info: RequestInfo): TraceAttributes {
  const { apiGroup, apiVersion, name, namespace, resource, subresource, verb } = info;
  const scope = scopeOf(name !== '' || verb === 'create', namespace);
  return { 'api-group': apiGroup, 'api-version': apiVersion, name, subresource, namespace, resource, scope, verb };
}

/** The attributes of the span in which a response is encoded and written. Upstream: SerializeObject */
export function encodingFields({ request, responseHeaders }: Exchange, mediaType: string): TraceAttributes {
  return {
    'audit-id': tracedAuditId(responseHeaders),
    method: request.method,
    url: request.path,
    protocol: `HTTP/${request.httpVersion}`,
    mediaType,
  };
}

/** Upstream: CleanScope of k8s.io/apiserver/pkg/endpoints/metrics */
function scopeOf(isOneObject: boolean, namespace: string): string {
  if (isOneObject) return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** Upstream: maxUserAgentLength */
const MAX_USER_AGENT = 1024;

function truncated(userAgent: string): string {
  return userAgent.length > MAX_USER_AGENT ? `${userAgent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : userAgent;
}
