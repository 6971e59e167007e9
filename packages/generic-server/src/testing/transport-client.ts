import { once } from 'node:events';
import { constants, type IncomingHttpHeaders } from 'node:http2';
import { type RequestOptions, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import type { TransportProtocol } from '../serving/transport/transport.js';
import { authority, type FetchedResponse, fetchHttp1, fetchHttp2, raw, session } from './listener-fixture.js';

/** A request in terms of both protocols. */
export interface TransportRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** The client's certificate and key. */
  readonly credentials?: { readonly cert: string; readonly key: string };
}

/** The whole response to a request on a connection of its own. */
export function fetchOver(
  protocol: TransportProtocol,
  port: number,
  request: TransportRequest = {},
): Promise<FetchedResponse> {
  const { method = 'GET', path = '/', headers = {}, body, credentials } = request;
  if (protocol === 'http/1.1') return fetchHttp1(port, { method, path, headers, ...credentials }, body);
  return fetchHttp2(
    session(port, { ...credentials, maxSendHeaderBlockLength: 2 ** 20 }),
    { ':method': method, ':path': path, ...headers },
    body,
  );
}

/** A response whose head has come. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Paused until it is read. */
  readonly body: Readable;
  /** The client gives the response up: a reset, or the end of the connection. */
  cancel(): void;
}

/** Resolves when the head of the response has come. */
export async function openOver(protocol: TransportProtocol, port: number, path = '/'): Promise<OpenResponse> {
  if (protocol === 'h2') {
    const stream = session(port).request({ ':path': path });
    stream.on('error', () => {});
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    const cancel = () => stream.close(constants.NGHTTP2_CANCEL);
    return { status: Number(headers[':status']), headers, body: stream, cancel };
  }
  const options: RequestOptions = { host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate, path };
  const request = requestHttps({ ...options, agent: false }).on('error', () => {});
  request.end();
  const [response] = await once(request, 'response');
  response.on('error', () => {});
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response,
    cancel: () => request.destroy(),
  };
}

/** The status of the response to CONNECT. */
export async function connectOver(protocol: TransportProtocol, port: number): Promise<number> {
  if (protocol === 'h2') {
    const stream = session(port).request({ ':method': 'CONNECT', ':authority': 'a.example:443' });
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    stream.close();
    return Number(headers[':status']);
  }
  const response = await raw(port, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n');
  return Number(response.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3));
}

/** The response to a request with whose response the server ends the connection; waits for both. */
export async function lastOver(
  protocol: TransportProtocol,
  port: number,
): Promise<Pick<FetchedResponse, 'status' | 'body'>> {
  if (protocol === 'h2') {
    const client = session(port);
    const gone = once(client, 'close');
    const response = await fetchHttp2(client, {});
    await gone;
    return response;
  }
  const text = await raw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}
