import type { Authenticator, Filter, Handler } from '@apiserver/apiserver-contracts';
import { createRequestInfoResolver } from '@apiserver/endpoints-installer';
import type { Completed } from '../config/completed.js';
import type { CompletedGenericServerConfig } from '../config/generic-server-config.js';
import type { RequestGroup } from '../lifecycle/request-group.js';
import { AuthenticationMetrics, AuthorizationMetrics } from '../metrics/authentication-metrics.js';
import { InFlightMetrics } from '../metrics/in-flight-metrics.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { authentication } from './authentication.js';
import { authorization } from './authorization.js';
import { cors } from './cors.js';
import { httpLogging } from './http-logging.js';
import { impersonation } from './impersonation/impersonation.js';
import { maxInFlight } from './max-in-flight.js';
import { panicRecovery } from './panic-recovery.js';
import { requestDeadline } from './request-deadline.js';
import { requestInfo } from './request-info.js';
import { cacheControl, hsts } from './response-headers.js';
import { retryAfter } from './retry-after.js';
import { timeout } from './timeout.js';
import { waitGroup, watchTermination } from './wait-group.js';
import { warningRecorder } from './warning-recorder.js';

/** What the chain shares with the server it belongs to. */
export interface ChainParts {
  readonly config: Completed<CompletedGenericServerConfig>;
  readonly authenticator: Authenticator;
  readonly requestMetrics: RequestMetrics;
  /** Requests in flight, and those that last as long as their clients want. */
  readonly requests: RequestGroup;
  readonly longRunningRequests: RequestGroup;
  /** Aborted once shutdown takes no more requests. */
  readonly notAcceptingNewRequests: AbortSignal;
}

/**
 * The filters around every request of a server, outermost first; some are there only when they have something to do.
 * Upstream: k8s.io/apiserver/pkg/server.DefaultBuildHandlerChain
 */
export function defaultFilters(parts: ChainParts): readonly Filter[] {
  const { config, requestMetrics } = parts;
  const { logger, now, longRunning, hstsDirectives, isAllowedOrigin, requestTimeout } = config;
  return [
    panicRecovery(logger),
    requestInfo(createRequestInfoResolver(), logger),
    httpLogging(logger.named('httplog'), now),
    ...(config.shutdownSendRetryAfter ? [retryAfter(parts.notAcceptingNewRequests)] : []),
    ...(hstsDirectives.length > 0 ? [hsts(hstsDirectives)] : []),
    cacheControl(),
    watchTermination({ group: parts.longRunningRequests, longRunning }),
    waitGroup({ group: parts.requests, longRunning }),
    requestDeadline({ longRunning, requestTimeout, logger }),
    timeout({ now, logger, onTimeout: (exchange) => requestMetrics.terminated(exchange, 504) }),
    warningRecorder(),
    ...(isAllowedOrigin === undefined ? [] : [cors(isAllowedOrigin)]),
    ...identityFilters(parts),
  ];
}

function identityFilters({ config, authenticator, requestMetrics }: ChainParts): readonly Filter[] {
  const { logger, authorizer, longRunning, metrics, maxRequestsInFlight, maxMutatingRequestsInFlight } = config;
  return [
    authentication({ authenticator, logger, metrics: new AuthenticationMetrics(metrics) }),
    impersonation({ authorizer, logger }),
    maxInFlight({
      readOnly: maxRequestsInFlight,
      mutating: maxMutatingRequestsInFlight,
      longRunning,
      metrics: new InFlightMetrics(metrics, requestMetrics),
    }),
    authorization({ authorizer, logger, metrics: new AuthorizationMetrics(metrics) }),
  ];
}

/** Puts filters around a handler, the first one outermost. */
export function buildHandlerChain(handler: Handler, filters: readonly Filter[]): Handler {
  return filters.reduceRight((next, filter) => filter.wrap(next), handler);
}
