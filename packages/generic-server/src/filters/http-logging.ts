import type { Exchange, ExchangeOutcome, Filter, Logger } from '@apiserver/apiserver-contracts';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { metricsScope } from '../metrics/request-labels.js';

/** The added values of requests that get a line. */
const logged = new WeakMap<Exchange, Record<string, unknown>>();

/**
 * Adds values to the line of a request, if it is logged.
 * Upstream: AddKeyValue of k8s.io/apiserver/pkg/server/httplog
 */
export function addLogged(exchange: Exchange, values: Readonly<Record<string, unknown>>): void {
  const added = logged.get(exchange);
  if (added !== undefined) Object.assign(added, values);
}

/** True if the request gets a line. */
export function isLogged(exchange: Exchange): boolean {
  return logged.has(exchange);
}

/**
 * Logs one line for each finished request, at -v 3.
 * Upstream: k8s.io/apiserver/pkg/server/httplog
 */
export function httpLogging(logger: Logger): Filter {
  const log = (line: Logger, exchange: Exchange, outcome: ExchangeOutcome) => {
    const { request, context } = exchange;
    line.info('HTTP', {
      verb: loggedVerb(exchange),
      URI: request.url,
      latency: formatGoDuration(performance.now() - context.startedAt),
      userAgent: request.headers.get('user-agent') ?? '',
      'audit-ID': exchange.responseHeaders.get('audit-id') ?? '',
      srcIP: request.remoteAddress,
      ...logged.get(exchange),
      ...(outcome.status === 101 ? { hijacked: true } : { resp: outcome.status }),
    });
  };
  return {
    name: 'httpLogging',
    wrap: (next) => (exchange) => {
      const line = logger.v(3);
      if (line === undefined) return next(exchange);
      logged.set(exchange, {});
      exchange.onFinished((outcome) => log(line, exchange, outcome));
      return next(exchange);
    },
  };
}

/** GET of a collection is LIST or WATCH; an apply patch is APPLY. */
function loggedVerb({ request, context }: Exchange): string {
  const info = context.requestInfo;
  const method = request.method.toUpperCase();
  if (info === undefined) return method;
  if (info.verb === 'watch') return 'WATCH';
  if ((method === 'GET' || method === 'HEAD') && metricsScope(info, false) !== 'resource') {
    return info.isResourceRequest ? 'LIST' : method;
  }
  if (method === 'PATCH' && request.headers.get('content-type')?.startsWith('application/apply-patch')) return 'APPLY';
  return method;
}
