/** Properties of a span or of one of its events. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/**
 * The library that makes a span upstream.
 * - work: a step of the server itself.
 * - filter: one of the handler chain.
 * - httpCall, grpcCall: a request to another server; see `headers` of the span.
 */
export type SpanType = 'work' | 'filter' | 'httpCall' | 'grpcCall';

/** A part of the work for a request, with its start and end. Upstream: k8s.io/component-base/tracing.Span */
export interface TraceSpan {
  /** Begins a part of this span. Default: work without attributes. */
  start(name: string, attributes?: TraceAttributes, type?: SpanType): TraceSpan;
  addEvent(name: string, attributes?: TraceAttributes): void;
  setAttributes(attributes: TraceAttributes): void;
  /** Marks the span as failed. */
  fail(message?: string): void;
  end(): void;
  /** W3C's headers by which another server continues the trace: traceparent, tracestate, baggage. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that a tracer sees. */
export interface TracedRequest {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly attributes: TraceAttributes;
  /** Reads a header of the request by its lower-case name. */
  header(name: string): string | undefined;
  /** True if the client may decide that the request is traced: the span then belongs to the client's trace. */
  readonly isTrusted: boolean;
  /** The span that continues in this one if the client has no trace, or may not decide. Default: none. */
  readonly within?: TraceSpan | undefined;
}

/** Records the spans of requests. */
export interface Tracer extends AsyncDisposable {
  /** Begins a trace of this server alone, before its client is known. */
  startFilter(name: string): TraceSpan;
  startRequest(request: TracedRequest): TraceSpan;
}

/** Upstream: maxAuditIDLength of k8s.io/apiserver/pkg/audit */
const MAX_AUDIT_ID = 64;

/** The audit ID of a request as spans have it. Upstream: GetAuditIDTruncated of k8s.io/apiserver/pkg/audit */
export function tracedAuditId(headers: { get(name: string): string | undefined }): string {
  return (headers.get('audit-id') ?? '').slice(0, MAX_AUDIT_ID);
}
