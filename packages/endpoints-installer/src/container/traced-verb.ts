import { type Exchange, type TraceAttributes, type TraceSpan, tracedAuditId } from '@apiserver/apiserver-contracts';
import { requestInfoOf } from '../handlers/request-target.js';
import type { VerbHandler } from './verb-routes.js';

/** The names of spans. Upstream: k8s.io/apiserver/pkg/endpoints/handlers */
const names: Readonly<Record<string, string>> = {
  get: 'Get',
  list: 'List',
  create: 'Create',
  update: 'Update',
  patch: 'Patch',
  delete: 'Delete',
  deletecollection: 'Delete',
};

/** A handler whose work is a span of its own if the request is traced. */
export function tracedVerb(verb: string, handle: VerbHandler): VerbHandler {
  const name = names[verb];
  if (name === undefined) return handle;
  return (exchange) => {
    const { span } = exchange.context;
    return span === undefined ? handle(exchange) : inSpan(exchange, span.start(name, traceFields(exchange)), handle);
  };
}

async function inSpan(exchange: Exchange, span: TraceSpan, handle: VerbHandler) {
  exchange.context.span = span;
  try {
    const response = await handle(exchange);
    span.addEvent('About to write a response');
    exchange.onFinished(() => {
      span.addEvent('Writing http response done');
      span.end();
    });
    return response;
  } catch (error) {
    span.end();
    throw error;
  }
}

/** Upstream: traceFields of k8s.io/apiserver/pkg/endpoints/handlers/trace_util.go */
function traceFields(exchange: Exchange): TraceAttributes {
  const { request, responseHeaders } = exchange;
  const { apiGroup, apiVersion, name, namespace, resource, subresource, verb } = requestInfoOf(exchange);
  return {
    accept: request.headers.get('accept') ?? '',
    'audit-id': tracedAuditId(responseHeaders),
    client: request.remoteAddress,
    'api-group': apiGroup,
    'api-version': apiVersion,
    ...{ name, subresource, namespace, resource },
    protocol: `HTTP/${request.httpVersion}`,
    scope: scopeOf(name !== '' || verb === 'create', namespace),
    url: request.path,
    'user-agent': truncated(request.headers.get('user-agent') ?? ''),
    verb,
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
