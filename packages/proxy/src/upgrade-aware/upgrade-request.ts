import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** Reports whether a client requests an upgrade; only HTTP/1.1 supports it. Upstream: httpstream.IsUpgradeRequest */
export function isUpgradeRequest({ headers, httpVersion }: ApiRequest): boolean {
  return httpVersion === '1.1' && headers.all('connection').some((line) => line.toLowerCase().includes('upgrade'));
}
