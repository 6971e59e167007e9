import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** Size from which a body is compressed, if the client accepts it. */
export const GZIP_THRESHOLD_BYTES = 128 * 1024;

/**
 * Reports whether the client accepts gzip. Qualities are ignored, as upstream.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go
 */
export function acceptsGzip(request: Pick<ApiRequest, 'headers'>): boolean {
  const encodings = request.headers.get('accept-encoding') ?? '';
  return encodings.split(',').some((encoding) => encoding.trim() === 'gzip');
}

/**
 * Reports whether the client accepts gzip with a quality above zero, for OpenAPI v2. The last of several entries counts.
 *
 * Upstream: acceptsGzip in github.com/NYTimes/gziphandler
 */
export function prefersGzip(request: Pick<ApiRequest, 'headers'>): boolean {
  const encodings = (request.headers.get('accept-encoding') ?? '').split(',').map((encoding) => encoding.split(';'));
  const found = encodings.findLast(([coding]) => coding?.trim().toLowerCase() === 'gzip');
  return found !== undefined && qualityOf(found.slice(1)) > 0;
}

/** Only the last parameter counts. */
function qualityOf(parameters: readonly string[]): number {
  const last = parameters.at(-1)?.trim() ?? '';
  return last.startsWith('q=') ? Number(last.slice(2) || Number.NaN) : 1;
}
