import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_FIELDS } from '@apiserver/http2';

/** A response to HTTP/1 without a handler. It ends the connection. */
export interface Http1Refusal {
  readonly status: number;
  /** The reason phrase of the status line. */
  readonly reason: string;
  readonly text: string;
}

/** A 400; `detail` names the fault. */
export function badRequest(detail = ''): Http1Refusal {
  const reason = detail === '' ? 'Bad Request' : `Bad Request: ${detail}`;
  return { status: 400, reason, text: `400 ${reason}` };
}

/** A 501: the end of a body in another encoding is unknown. */
export function unsupportedTransferEncoding(): Http1Refusal {
  return { status: 501, reason: 'Not Implemented', text: 'Unsupported transfer encoding' };
}

/** The response to a head that is too large. Upstream has no other limit. */
const tooLarge: Http1Refusal = {
  status: 431,
  reason: 'Request Header Fields Too Large',
  text: '431 Request Header Fields Too Large',
};

/**
 * The refusal of a request that Node's parser accepts; undefined: the request is fine.
 * Upstream: readRequest and conn.serve in net/http/server.go, readTransfer in net/http/transfer.go
 */
export function http1Refusal(message: IncomingMessage): Http1Refusal | undefined {
  const { httpVersionMajor, httpVersion, method, rawHeaders } = message;
  if (httpVersionMajor < 1) return badRequest();
  if (rawHeaders.length > 2 * MAX_FIELDS) return tooLarge;
  if (httpVersionMajor > 1) {
    const reason = 'HTTP Version Not Supported: unsupported protocol version';
    return { status: 505, reason, text: `505 ${reason}` };
  }
  const encoding = message.headers['transfer-encoding'];
  if (encoding !== undefined && httpVersion !== '1.0' && encoding.toLowerCase() !== 'chunked') {
    return unsupportedTransferEncoding();
  }
  const hosts = hostsOf(rawHeaders);
  if (hosts.length > 1) return badRequest();
  if (hosts.length === 0 && httpVersion !== '1.0' && method !== 'CONNECT') {
    return badRequest('missing required Host header');
  }
  return isHost(hosts[0] ?? '') ? undefined : badRequest('malformed Host header');
}

/** All values of "Host". */
function hostsOf(rawHeaders: readonly string[]): readonly string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1] ?? '');
  }
  return hosts;
}

/** Upstream: httpguts.ValidHostHeader */
function isHost(host: string): boolean {
  return /^[-!$%&'()*+,.:;=[\]_~0-9A-Za-z]*$/.test(host);
}

/** Sends a refusal and ends the connection. Upstream: conn.serve in net/http/server.go */
export function refuse(response: ServerResponse, { status, reason, text }: Http1Refusal): void {
  response.sendDate = false;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(status, reason, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(text);
}
