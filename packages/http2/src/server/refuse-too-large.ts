import type { ServerStream } from './server-stream.js';

/**
 * Responds with 431 to a request whose head is too large. Upstream: handleHeaderListTooLong in x/net/http2/server.go
 */
export function refuseTooLarge(stream: Pick<ServerStream, 'respond' | 'write' | 'end'>): void {
  const text = Buffer.from('<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>');
  stream.respond(431, { 'content-type': 'text/html; charset=utf-8', 'content-length': String(text.length) }, false);
  stream.write(text);
  stream.end();
}
