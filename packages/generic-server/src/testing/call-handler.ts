import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type {
  ApiRequest,
  ApiResponse,
  Handler,
  PeerCertificates,
  ResponseWriter,
} from '@apiserver/apiserver-contracts';
import { RequestHeadersView } from '../serving/transport/request-headers.js';
import { parseQuery, parseRequestTarget } from '../serving/transport/request-target.js';
import { ServerExchange } from '../serving/transport/server-exchange.js';

/** A request for a handler, without a socket. */
export interface TestCall {
  readonly method?: string;
  /** Path and query as sent. Default "/". */
  readonly url?: string;
  /** An array is a header sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Text, or bytes as they are sent. */
  readonly body?: string | Uint8Array;
  readonly httpVersion?: ApiRequest['httpVersion'];
  readonly certificates?: PeerCertificates;
  /** Default: 192.0.2.1. */
  readonly remoteAddress?: string;
  readonly remotePort?: number;
}

/** A response with its body as text and as bytes. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  readonly bytes: Uint8Array;
}

/** Calls a handler or a whole chain in process, as a client would, and reads the response to its end. */
export async function callHandler(handler: Handler, call: TestCall = {}): Promise<TestResponse> {
  const exchange = createInProcessExchange(call);
  const response = await handler(exchange);
  const body = await bodyOf(response);
  const status = response.type === 'upgrade' ? 101 : response.status;
  exchange.finish({ status, bytesWritten: body.length, aborted: false });
  return {
    status,
    headers: Object.fromEntries(exchange.responseHeaders.entries()),
    body: body.toString(),
    bytes: body,
  };
}

/** An exchange as a listener makes it, for a request that never was on a wire. Finish it with `finish`. */
export function createInProcessExchange(call: TestCall = {}, now: () => number = Date.now): ServerExchange {
  return new ServerExchange(requestOf(call), now());
}

function requestOf({ method = 'GET', url = '/', headers = {}, body = '', ...rest }: TestCall): ApiRequest {
  const target = parseRequestTarget(url, method);
  if (target === undefined) throw new Error(`${url} is no request target`);
  const raw = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]));
  const joined = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
  );
  return {
    method,
    url,
    ...target,
    query: parseQuery(target.rawQuery),
    headers: new RequestHeadersView({ joined, raw }),
    httpVersion: rest.httpVersion ?? '1.1',
    remoteAddress: rest.remoteAddress ?? '192.0.2.1',
    remotePort: rest.remotePort,
    host: 'example.com',
    secure: true,
    peerCertificates: rest.certificates,
    readBody: () => Promise.resolve(Buffer.from(body)),
    bodyStream: () => (body.length === 0 ? undefined : Readable.from([Buffer.from(body)])),
  };
}

async function bodyOf(response: ApiResponse): Promise<Buffer> {
  switch (response.type) {
    case 'bytes':
      return Buffer.from(response.body ?? []);
    case 'chunks': {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.chunks) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
    case 'stream': {
      const chunks: Uint8Array[] = [];
      const writer: ResponseWriter = {
        write: (chunk) => chunks.push(chunk),
        bufferedBytes: 0,
        drained: () => Promise.resolve(),
        closed: false,
      };
      await response.run(writer);
      return Buffer.concat(chunks);
    }
    default:
      return Buffer.alloc(0);
  }
}
