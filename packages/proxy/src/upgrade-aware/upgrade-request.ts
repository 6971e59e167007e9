import type { ApiRequest } from '@apiserver/apiserver-contracts';

/**
 * Whether a client asks to speak something else on its connection. Only HTTP/1.1 knows how.
 * Upstream: httpstream.IsUpgradeRequest
 */
export function isUpgradeRequest({ headers, httpVersion }: ApiRequest): boolean {
  return httpVersion === '1.1' && headers.all('connection').some((line) => line.toLowerCase().includes('upgrade'));
}
