import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { fieldsOf, type WireFields } from './wire-fields.ts';

/** A span as the collector received it. IDs are in hexadecimal. */
export interface ReceivedSpan {
  readonly scope: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  /** Trace IDs. */
  readonly links: readonly string[];
  /** 2: an error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A collector of OTLP over gRPC without TLS, as far as spans go. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly #server: Http2Server;

  private constructor(server: Http2Server) {
    this.#server = server;
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const isExport = headers[':path'] === '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
        // A message has a flag and its length before it.
        if (isExport) receiver.spans.push(...spansOf(Buffer.concat(chunks).subarray(5)));
        // A server that ends does not wait for the response.
        if (stream.destroyed || stream.closed) return;
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': isExport ? '0' : '12' }));
        stream.end(Buffer.alloc(5));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Source: opentelemetry/proto/trace/v1/trace.proto */
function spansOf(request: Buffer): readonly ReceivedSpan[] {
  return fieldsOf(request)
    .messages(1)
    .flatMap((resourceSpans) => {
      const resource = attributesOf(resourceSpans.messages(1)[0], 1);
      return resourceSpans.messages(2).flatMap((scopeSpans) => {
        const scope = scopeSpans.messages(1)[0]?.text(1) ?? '';
        return scopeSpans.messages(2).map((span) => ({
          scope,
          resource,
          traceId: span.hex(1),
          spanId: span.hex(2),
          parent: span.hex(4),
          name: span.text(5),
          attributes: attributesOf(span, 9),
          events: span.messages(11).map((event) => event.text(2)),
          links: span.messages(13).map((link) => link.hex(1)),
          status: span.messages(15)[0]?.number(3) ?? 0,
        }));
      });
    });
}

function attributesOf(message: WireFields | undefined, number: number): Readonly<Record<string, unknown>> {
  const pairs = message?.messages(number) ?? [];
  return Object.fromEntries(pairs.map((pair) => [pair.text(1), plainValue(pair.messages(2)[0])]));
}

function plainValue(value: WireFields | undefined): unknown {
  if (value?.has(1)) return value.text(1);
  return value?.has(3) ? value.number(3) : undefined;
}
