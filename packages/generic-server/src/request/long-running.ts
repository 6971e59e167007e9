import type { Exchange } from '@apiserver/apiserver-contracts';
import { requestInfoOf } from './request-info-of.js';

const longRunningVerbs: ReadonlySet<string> = new Set(['watch', 'proxy']);
const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Reports whether a request may last as long as its client wants, without a timeout or a place in flight. */
export type LongRunningCheck = (exchange: Exchange) => boolean;

/**
 * Watches, proxies, and streams to and from containers.
 * Upstream: k8s.io/apiserver/pkg/server/filters.BasicLongRunningRequestCheck, with the arguments of kube-apiserver
 */
export const isLongRunning: LongRunningCheck = (exchange) => {
  const info = requestInfoOf(exchange);
  return (
    longRunningVerbs.has(info.verb) ||
    (info.isResourceRequest ? longRunningSubresources.has(info.subresource) : info.path.startsWith('/debug/pprof/'))
  );
};
