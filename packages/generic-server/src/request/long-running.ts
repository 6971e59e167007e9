import type { Exchange } from '@apiserver/apiserver-contracts';
import { requestInfoOf } from './request-info-of.js';

const LONG_RUNNING_VERBS: ReadonlySet<string> = new Set(['watch', 'proxy']);
const LONG_RUNNING_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Reports whether a request may last as long as its client wants, without a timeout or a place in flight. */
export type LongRunningCheck = (exchange: Exchange) => boolean;

/**
 * Watches, proxies, and streams to and from containers.
 * Upstream: k8s.io/apiserver/pkg/server/filters.BasicLongRunningRequestCheck, with the arguments of kube-apiserver
 */
export const isLongRunning: LongRunningCheck = (exchange) => {
  const info = requestInfoOf(exchange);
  return (
    LONG_RUNNING_VERBS.has(info.verb) ||
    (info.isResourceRequest ? LONG_RUNNING_SUBRESOURCES.has(info.subresource) : info.path.startsWith('/debug/pprof/'))
  );
};
