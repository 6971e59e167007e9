import { Buffer } from 'node:buffer';
import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';

/** Responds like Go's http.Error. */
export function plainResponse({ responseHeaders }: Exchange, status: number, text: string): ApiResponse {
  responseHeaders.set('Content-Type', 'text/plain; charset=utf-8');
  responseHeaders.set('X-Content-Type-Options', 'nosniff');
  return { type: 'bytes', status, body: Buffer.from(`${text}\n`) };
}
