import type {
  ApiRequest,
  Exchange,
  Filter,
  RequestInfo,
  TraceAttributes,
  Tracer,
} from '@apiserver/apiserver-contracts';
import { tracedAuditId, wellKnownGroups } from '@apiserver/apiserver-contracts';
import { splitHostPort } from '../../serving/split-host-port.js';

/**
 * Records a span for each request. Only administrators and monitoring continue a trace of their own; the traces of
 * other clients are linked. The filter is part of the chain only with a tracer.
 * Upstream: WithTracing of k8s.io/apiserver/pkg/endpoints/filters/traces.go; the attributes are those of otelhttp 0.65
 */
export function tracing(tracer: Tracer): Filter {
  return {
    name: 'tracing',
    wrap: (next) => (exchange) => {
      const { context, request } = exchange;
      const span = tracer.startRequest({
        name: spanName(request, context.requestInfo),
        startedAt: context.receivedAt,
        attributes: attributesOf(exchange),
        header: (name) => request.headers.get(name),
        isTrusted: isPrivileged(context.user?.groups ?? []),
        within: context.span,
      });
      context.span = span;
      exchange.onFinished(({ status, bytesWritten }) => {
        if (status >= 500) span.fail();
        span.setAttributes({
          ...(bytesWritten > 0 && { 'http.response.body.size': bytesWritten }),
          ...(status > 0 && { 'http.response.status_code': status }),
        });
        span.end();
      });
      return next(exchange);
    },
  };
}

/** Upstream: notSystemPrivilegedGroup */
function isPrivileged(groups: readonly string[]): boolean {
  return groups.includes(wellKnownGroups.privileged) || groups.includes('system:monitoring');
}

/** Upstream: getSpanNameFromRequestInfo */
function spanName({ method }: ApiRequest, info: RequestInfo | undefined): string {
  if (info === undefined || !info.isResourceRequest) return method;
  const parts = [
    ...[info.apiPrefix, ...(info.apiGroup === '' ? [] : [info.apiGroup]), info.apiVersion],
    ...(info.namespace === '' ? [] : ['namespaces', '{:namespace}']),
    ...[info.resource, ...(info.name === '' ? [] : ['{:name}'])],
    ...(info.subresource === '' ? [] : [info.subresource]),
  ];
  return `${method} /${parts.join('/')}`;
}

const METHODS: ReadonlySet<string> = new Set([
  ...['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'],
]);

/** Upstream: RequestTraceAttrs of otelhttp, and the attributes that WithTracing adds */
function attributesOf({ request, responseHeaders }: Exchange): TraceAttributes {
  const { method, secure, headers, remoteAddress, path, url, httpVersion } = request;
  const { host, port } = splitHostPort(request.host);
  const userAgent = headers.get('user-agent') ?? '';
  const [forwarded = ''] = (headers.get('x-forwarded-for') ?? '').split(',', 1);
  const client = forwarded || remoteAddress;
  const known = METHODS.has(method.toUpperCase()) ? method.toUpperCase() : 'GET';
  return {
    'server.address': host,
    'http.request.method': known,
    'url.scheme': secure ? 'https' : 'http',
    ...(port !== undefined && port !== (secure ? 443 : 80) && { 'server.port': port }),
    ...(known !== method && { 'http.request.method_original': method }),
    ...(remoteAddress !== '' && { 'network.peer.address': remoteAddress }),
    ...(userAgent !== '' && { 'user_agent.original': userAgent }),
    ...(client !== '' && { 'client.address': client }),
    ...(path !== '' && { 'url.path': path }),
    'network.protocol.version': httpVersion,
    'http.target': url,
    'audit-id': tracedAuditId(responseHeaders),
  };
}
