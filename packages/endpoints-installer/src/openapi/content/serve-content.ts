import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { type ByteRange, contentRange, multipartRanges, requestedRanges } from './byte-ranges.js';
import { checkPreconditions, type Validators } from './preconditions.js';

/** Content with its metadata. */
export interface ServedContent extends Validators {
  readonly contentType: string;
  bytes(): Promise<Uint8Array>;
}

/**
 * Responds with content, or with the parts of it that a client asks for.
 *
 * Upstream: Go's http.ServeContent
 */
export async function serveContent(exchange: Exchange, content: ServedContent): Promise<ApiResponse> {
  const { request, responseHeaders } = exchange;
  responseHeaders.set('ETag', content.etag);
  const conditions = checkPreconditions(request, content);
  if (conditions === 'unmodified') return { type: 'bytes', status: 304, body: undefined };
  responseHeaders.set('Content-Type', content.contentType);
  responseHeaders.set('Last-Modified', new Date(content.lastModified).toUTCString());
  if (conditions === 'failed') return { type: 'bytes', status: 412, body: undefined };
  const bytes = await content.bytes();
  const ranges = requestedRanges(conditions.range, bytes.length);
  if ('fault' in ranges) return respondUnsatisfied(exchange, ranges);
  responseHeaders.set('Accept-Ranges', 'bytes');
  if (ranges.length === 0) return respondBody(exchange, 200, bytes);
  return respondBody(exchange, 206, partOf(exchange, bytes, { ranges, contentType: content.contentType }));
}

function partOf(
  { responseHeaders }: Exchange,
  bytes: Uint8Array,
  { ranges, contentType }: { readonly ranges: readonly ByteRange[]; readonly contentType: string },
): Uint8Array {
  const [first, ...others] = ranges;
  if (first !== undefined && others.length === 0) {
    responseHeaders.set('Content-Range', contentRange(first, bytes.length));
    return bytes.subarray(first.start, first.end);
  }
  const parts = multipartRanges(bytes, ranges, contentType);
  responseHeaders.set('Content-Type', parts.contentType);
  return parts.body;
}

function respondUnsatisfied(
  { request, responseHeaders }: Exchange,
  { fault, unsatisfied }: { readonly fault: string; readonly unsatisfied?: string },
): ApiResponse {
  for (const name of ['Cache-Control', 'ETag', 'Last-Modified']) responseHeaders.delete(name);
  if (unsatisfied !== undefined) responseHeaders.set('Content-Range', unsatisfied);
  responseHeaders.set('Content-Type', 'text/plain; charset=utf-8');
  responseHeaders.set('X-Content-Type-Options', 'nosniff');
  return { type: 'bytes', status: 416, body: request.method === 'HEAD' ? undefined : Buffer.from(`${fault}\n`) };
}

function respondBody({ request, responseHeaders }: Exchange, status: number, body: Uint8Array): ApiResponse {
  if (request.method !== 'HEAD') return { type: 'bytes', status, body };
  responseHeaders.set('Content-Length', String(body.length));
  return { type: 'bytes', status, body: undefined };
}
