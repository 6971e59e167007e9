import { Buffer } from 'node:buffer';
import type { ApiResponse, Handler } from '@apiserver/apiserver-contracts';

/** A complete response. */
export function bytes(status: number, body: string): ApiResponse & { readonly status: number } {
  return { type: 'bytes', status, body: Buffer.from(body) };
}

/** Responds with the request as the server received it. */
export const echo: Handler = async (exchange) => {
  const { request } = exchange;
  const body = await request.readBody(1000);
  exchange.responseHeaders.set('content-type', 'application/json');
  const seen = {
    method: request.method,
    url: request.url,
    path: request.path,
    rawQuery: request.rawQuery,
    query: [...request.query],
    groups: request.headers.all('Impersonate-Group'),
    accept: request.headers.get('ACCEPT'),
    user: request.headers.get('impersonate-user'),
    names: [...request.headers.names()].filter((name) => name.startsWith(':')),
    version: request.httpVersion,
    remote: request.remoteAddress,
    port: request.remotePort,
    secure: request.secure,
    certificates: request.peerCertificates?.chain.length,
    body: Buffer.from(body).toString(),
  };
  return bytes(200, JSON.stringify(seen));
};
