import type { ApiRequest, Exchange } from '@apiserver/apiserver-contracts';
import { QUALITY } from './parse-accept.js';

/** Size from which a body is compressed, if the client accepts it. */
export const GZIP_THRESHOLD_BYTES = 128 * 1024;

/**
 * Reports whether the client accepts gzip, and the server compresses. Qualities are ignored, as upstream.
 *
 * Upstream: negotiateContentEncoding of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go
 */
export function acceptsGzip({ request, context }: Pick<Exchange, 'request' | 'context'>): boolean {
  const encodings = request.headers.get('accept-encoding') ?? '';
  if (context.isUncompressed === true) return false;
  return encodings.split(',').some((encoding) => encoding.trim() === 'gzip');
}

/**
 * Reports whether the client accepts gzip with a quality above zero, for OpenAPI v2. The last valid entry counts.
 *
 * Upstream: acceptsGzip in github.com/NYTimes/gziphandler
 */
export function prefersGzip(request: Pick<ApiRequest, 'headers'>): boolean {
  const encodings = (request.headers.get('accept-encoding') ?? '').split(',');
  const qualities = encodings.map(gzipQuality).filter((quality) => quality !== undefined);
  return (qualities.at(-1) ?? 0) > 0;
}

/** The quality of gzip in an entry; undefined for another coding, and for a quality that is no number. */
function gzipQuality(encoding: string): number | undefined {
  const [coding, ...parameters] = encoding.split(';').map((part) => part.trim());
  if (coding?.toLowerCase() !== 'gzip') return undefined;
  const given = parameters.findLast((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  const text = given.slice(2);
  if (!QUALITY.test(text)) return undefined;
  // Another parameter behind a quality undoes it.
  return given === parameters.at(-1) ? Number(text) : 1;
}
