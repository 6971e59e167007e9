import { errorOf } from '@apiserver/apimachinery/errors';
import type {
  Logger,
  SpanType,
  TraceAttributes,
  TracedRequest,
  Tracer,
  TraceSpan,
} from '@apiserver/apiserver-contracts';
import type { ChannelCredentials } from '@grpc/grpc-js';
import {
  type Context,
  context as contexts,
  type Tracer as OpenTelemetryTracer,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import {
  CompositePropagator,
  ExportResultCode,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Relay } from './relay.js';
import type { TracerOptions } from './tracer-options.js';

const CONTRIBUTED = 'go.opentelemetry.io/contrib/instrumentation';
/** Upstream: otelhttp, otelgrpc, and packages of Kubernetes, one of which names itself so */
const SCOPES: Readonly<Record<SpanType, string>> = {
  work: 'k8s.io/component-base/tracing',
  filter: 'k8s.op/apiserver/pkg/endpoints/filterlatency',
  httpCall: `${CONTRIBUTED}/net/http/otelhttp`,
  grpcCall: `${CONTRIBUTED}/google.golang.org/grpc/otelgrpc`,
};

const MILLION = 1_000_000;

/** Options of a tracer, with the URL of the collector and the relay behind it. */
export interface StartTracerOptions extends TracerOptions {
  readonly url: string;
  /** For a unix socket; the exporter makes its own for other URLs. */
  readonly credentials: ChannelCredentials | undefined;
  /** Ends with the tracer. */
  readonly relay: Relay | undefined;
}

/** Starts a tracer of OpenTelemetry's SDK. */
export function startTracer(options: StartTracerOptions): Tracer {
  const { configuration, service, instance, logger, url, credentials, relay } = options;
  const { samplingRatePerMillion: rate = 0 } = configuration;
  const exporter = new LoggingExporter(new OTLPTraceExporter({ url, ...(credentials && { credentials }) }), logger);
  const root = rate > 0 ? new TraceIdRatioBasedSampler(rate / MILLION) : new AlwaysOffSampler();
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root }),
    resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': instance }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return new RequestTracer(provider, relay);
}

/** Logs what could not be sent. A fault of the exporter must not end the server. */
class LoggingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #logger: Logger;

  constructor(exporter: SpanExporter, logger: Logger) {
    this.#exporter = exporter;
    this.#logger = logger;
  }

  export(...[spans, done]: Parameters<SpanExporter['export']>): void {
    const failed = (error: Error) => {
      this.#logger.error(error, 'Spans could not be sent', { spans: spans.length });
      done({ code: ExportResultCode.FAILED, error });
    };
    try {
      this.#exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) done(result);
        else failed(result.error ?? new Error('the collector has refused them'));
      });
    } catch (error) {
      failed(errorOf(error));
    }
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

/** The parts that all spans of a server share. */
interface Tracing {
  readonly tracers: Readonly<Record<SpanType, OpenTelemetryTracer>>;
  readonly propagator: TextMapPropagator;
}

class RequestTracer implements Tracer {
  readonly #provider: TracerProvider;
  readonly #relay: Relay | undefined;
  readonly #tracing: Tracing;

  constructor(provider: TracerProvider, relay: Relay | undefined) {
    this.#provider = provider;
    this.#relay = relay;
    this.#tracing = {
      tracers: {
        work: provider.getTracer(SCOPES.work),
        filter: provider.getTracer(SCOPES.filter),
        httpCall: provider.getTracer(SCOPES.httpCall),
        grpcCall: provider.getTracer(SCOPES.grpcCall),
      },
      propagator: new CompositePropagator({
        propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
      }),
    };
  }

  startFilter(name: string): TraceSpan {
    const context = contexts.active();
    const span = this.#tracing.tracers.filter.startSpan(name, { root: true }, context);
    return new RecordedSpan(span, trace.setSpan(context, span), this.#tracing);
  }

  /** A stranger's trace is only linked: a trace of this server begins. Upstream: otelhttp.WithPublicEndpointFn */
  startRequest({ name, startedAt, attributes, header, isTrusted, within }: TracedRequest): TraceSpan {
    const { propagator, tracers } = this.#tracing;
    const carrier = { get: (_: unknown, key: string) => header(key), keys: () => [] };
    const outer = within instanceof RecordedSpan ? within.context : contexts.active();
    const received = propagator.extract(outer, undefined, carrier);
    const sender = trace.getSpanContext(received);
    const isNew = !isTrusted;
    const links = isNew && sender?.isRemote === true ? [{ context: sender }] : [];
    const options = { kind: SpanKind.SERVER, startTime: startedAt, attributes, links, root: isNew };
    const span = tracers.httpCall.startSpan(name, options, received);
    return new RecordedSpan(span, trace.setSpan(received, span), this.#tracing);
  }

  /** Sends what has been recorded. A receiver that does not respond delays it by 30 seconds at most. */
  async [Symbol.asyncDispose](): Promise<void> {
    // The failure of the last export has been logged.
    await this.#provider.shutdown().catch(() => {});
    await this.#relay?.[Symbol.asyncDispose]();
  }
}

class RecordedSpan implements TraceSpan {
  readonly #span: Span;
  readonly context: Context;
  readonly #tracing: Tracing;

  constructor(span: Span, context: Context, tracing: Tracing) {
    this.#span = span;
    this.context = context;
    this.#tracing = tracing;
  }

  start(name: string, attributes: TraceAttributes = {}, type: SpanType = 'work'): TraceSpan {
    const kind = type === 'work' || type === 'filter' ? SpanKind.INTERNAL : SpanKind.CLIENT;
    const span = this.#tracing.tracers[type].startSpan(name, { kind, attributes }, this.context);
    return new RecordedSpan(span, trace.setSpan(this.context, span), this.#tracing);
  }

  addEvent(name: string, attributes: TraceAttributes = {}): void {
    this.#span.addEvent(name, attributes);
  }

  setAttributes(attributes: TraceAttributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(message?: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  }

  end(): void {
    this.#span.end();
  }

  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    const carrier = {
      set: (_: unknown, key: string, value: string) => {
        headers[key] = value;
      },
    };
    this.#tracing.propagator.inject(this.context, headers, carrier);
    return headers;
  }
}
