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
