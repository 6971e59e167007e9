import type { Connection } from '../transport/connection.js';
import { parseRequestTarget } from '../transport/request-target.js';
import type { TransportContext } from '../transport/transport-context.js';
import { httpDate } from './http-date.js';
import { Http2Call } from './http2-call.js';
import type { Http2Stream } from './http2-stream.js';

/** Serves one request on HTTP/2. Never throws. */
export function serveHttp2Stream(context: TransportContext, stream: Http2Stream, connection: Connection): void {
  const target = parseRequestTarget(stream.head.path, stream.head.method);
  if (target === undefined) refuse(context, stream, '400 Bad Request');
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

/** Sends a response without a handler. */
function refuse(context: TransportContext, stream: Http2Stream, text: string): void {
  const date = httpDate(context.now());
  stream.respond(400, { 'content-type': 'text/plain; charset=utf-8', date }, false);
  stream.write(Buffer.from(text));
  stream.end();
}
