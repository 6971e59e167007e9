import { Buffer } from 'node:buffer';
import { Http2Code, type RequestHead } from '@apiserver/http2';
import type { Connection } from '../transport/connection.js';
import { parseRequestTarget, type RequestTarget } from '../transport/request-target.js';
import type { TransportContext } from '../transport/transport-context.js';
import { httpDate } from './http-date.js';
import { Http2Call } from './http2-call.js';
import type { Http2Stream } from './http2-stream.js';

/** Serves one request on HTTP/2. Never throws. */
export function serveHttp2Stream(context: TransportContext, stream: Http2Stream, connection: Connection): void {
  const target = targetOf(stream.head);
  // Upstream: newWriterAndRequest in golang.org/x/net/http2
  if (target === undefined) stream.reset(Http2Code.protocolError);
  else if (stream.head.refusal !== undefined) refuse(context, stream, `${stream.head.refusal}\n`);
  else if (target.isServer) {
    // OPTIONS of the server as a whole reaches no handler. Upstream: globalOptionsHandler in net/http
    stream.respond(200, { 'content-length': '0', date: httpDate(context.now()) }, true);
  } else {
    const call = new Http2Call(context, { stream, target, connection });
    stream.receiver = call;
    void call.run();
  }
}

/** Unlike in HTTP/1, no absolute URL may take the place of the authority. */
function targetOf({ path, method }: RequestHead): RequestTarget | undefined {
  const isAllowed = path.startsWith('/') || path === '*' || method === 'CONNECT';
  return isAllowed ? parseRequestTarget(path, method) : undefined;
}

/** Sends a response without a handler. Upstream: new400Handler in golang.org/x/net/http2 */
function refuse(context: TransportContext, stream: Http2Stream, text: string): void {
  const body = Buffer.from(text);
  const fields = {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': String(body.length),
    date: httpDate(context.now()),
  };
  const isHead = stream.head.method === 'HEAD';
  stream.respond(400, fields, isHead);
  if (isHead) return;
  stream.write(body);
  stream.end();
}
