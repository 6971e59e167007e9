import { Buffer } from 'node:buffer';
import type { BytesResponse, Exchange } from '@apiserver/apiserver-contracts';

/**
 * A plain-text response to a refusal for which upstream has no Status.
 * Upstream: net/http.Error
 */
export function plainTextError(exchange: Exchange, status: number, text: string): BytesResponse {
  const headers = exchange.responseHeaders;
  for (const name of ['content-length', 'content-encoding', 'etag', 'last-modified']) headers.delete(name);
  headers.set('x-content-type-options', 'nosniff');
  return plainText(exchange, status, `${text}\n`);
}

/** A plain-text response. */
export function plainText(exchange: Exchange, status: number, text: string): BytesResponse {
  exchange.responseHeaders.set('content-type', 'text/plain; charset=utf-8');
  return { type: 'bytes', status, body: Buffer.from(text) };
}
