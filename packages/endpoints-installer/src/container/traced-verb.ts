import { type Exchange, observed, type TraceSpan, tracedAuditId } from '@apiserver/apiserver-contracts';
import { traceFields } from '../scope/trace-fields.js';
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
    if (span === undefined) return handle(exchange);
    const part = span.start(name, traceFields(exchange));
    return verb === 'list' ? inListSpan(exchange, part, handle) : inVerbSpan(exchange, part, handle);
  };
}

/** A list has no events of its own, as upstream. */
async function inListSpan(exchange: Exchange, span: TraceSpan, handle: VerbHandler) {
  exchange.onFinished(() => span.end());
  return handledIn(exchange, span, handle);
}

function handledIn(exchange: Exchange, span: TraceSpan, handle: VerbHandler) {
  const { context, responseHeaders } = exchange;
  context.span = span;
  const auditId = tracedAuditId(responseHeaders);
  return observed({ audit: context.audit, span, auditId }, () => handle(exchange));
}

async function inVerbSpan(exchange: Exchange, span: TraceSpan, handle: VerbHandler) {
  try {
    const response = await handledIn(exchange, span, handle);
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
