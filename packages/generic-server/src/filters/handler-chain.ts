import type { Authenticator, Filter, Handler } from '@apiserver/apiserver-contracts';
import type { Completed } from '../config/completed.js';
import type { CompletedGenericServerConfig } from '../config/generic-server-config.js';
import type { RequestGroup } from '../lifecycle/request-group.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import { audit } from './audit.js';
import { auditInit } from './audit-init.js';
import { authentication } from './authentication.js';
import { authorization } from './authorization.js';
import { cors } from './cors.js';
import { goaway } from './goaway.js';
import { httpLogging } from './http-logging.js';
import { impersonation } from './impersonation/impersonation.js';
import { maxInFlight } from './max-in-flight.js';
import { observeFilter, timedFilter } from './observation/timed-filter.js';
import { tracedAuthentication, tracedFilter } from './observation/traced-filter.js';
import { tracing } from './observation/tracing.js';
import { workObservation } from './observation/work-observation.js';
import { panicRecovery } from './panic-recovery.js';
import { priorityAndFairness } from './priority-and-fairness.js';
import { requestDeadline } from './request-deadline.js';
import { requestInfo } from './request-info.js';
import { cacheControl, hsts } from './response-headers.js';
import { retryAfter } from './retry-after.js';
import { overdue, timeout } from './timeout.js';
import { uncompressed } from './uncompressed.js';
import { waitGroup, watchTermination } from './wait-group.js';
import { warningRecorder } from './warning-recorder.js';

/** Dependencies that the chain shares with its server. */
export interface ChainDependencies {
  readonly config: Completed<CompletedGenericServerConfig>;
  readonly authenticator: Authenticator;
  readonly metrics: ServerMetrics;
  /** Requests in flight, without and with a time limit. */
  readonly requests: RequestGroup;
  readonly longRunningRequests: RequestGroup;
  /** Aborted once shutdown accepts no more requests. */
  readonly notAcceptingNewRequests: AbortSignal;
}

/**
 * The filters of a server, outermost first. Some are part of the chain only if a setting needs them. Upstream has one
 * more filter, for the time of arrival; here the exchange records it.
 * Upstream: k8s.io/apiserver/pkg/server.DefaultBuildHandlerChain
 */
export function defaultFilters(dependencies: ChainDependencies): readonly Filter[] {
  const { config, metrics } = dependencies;
  const { logger, longRunning, hstsDirectives, isAllowedOrigin, requestTimeout } = config;
  return [
    auditInit(config.newAuditId, config.audit),
    panicRecovery(logger),
    requestInfo(logger),
    httpLogging(logger.named('httplog')),
    ...(config.shutdownSendRetryAfter ? [retryAfter(dependencies.notAcceptingNewRequests)] : []),
    ...(hstsDirectives.length > 0 ? [hsts(hstsDirectives)] : []),
    cacheControl(),
    ...(config.goawayChance > 0 ? [goaway(config.goawayChance, config.random)] : []),
    watchTermination({ group: dependencies.longRunningRequests, longRunning }),
    waitGroup({ group: dependencies.requests, longRunning }),
    requestDeadline({ longRunning, requestTimeout, logger, audit: config.audit }),
    timeout({
      logger,
      afterTimeout: metrics.afterTimeout,
      onTimeout: (exchange) => metrics.requests.terminated(exchange, 504),
      onAbort: (exchange) => metrics.requests.aborted(exchange),
    }),
    warningRecorder(),
    ...(isAllowedOrigin === undefined ? [] : [cors(isAllowedOrigin)]),
    ...(config.features?.responseCompression === false ? [uncompressed()] : []),
    ...identityFilters(dependencies),
  ];
}

function identityFilters({ config, authenticator, metrics }: ChainDependencies): readonly Filter[] {
  const { clock, logger, authorizer, longRunning, tracer } = config;
  const observed = (filter: Filter, name: string = filter.name) => {
    const timed = timedFilter(filter, metrics.filterDurations(name));
    return tracer === undefined ? timed : tracedFilter(timed, name);
  };
  const durations = metrics.filterDurations('authentication');
  const authenticating = timedFilter(
    authentication({
      authenticator,
      logger,
      metrics: metrics.authentication,
      onRefusal: (exchange) => observeFilter(exchange, durations),
      audit: config.audit,
      apiAudiences: config.apiAudiences,
      isIdentityHeader: config.isIdentityHeader,
      keepsHttp2: config.features?.unauthenticatedHttp2Mitigation === false,
    }),
    durations,
  );
  return [
    ...(tracer === undefined ? [authenticating] : [tracedAuthentication(authenticating, tracer), tracing(tracer)]),
    // The time and the span of auditing exist without it, too, as upstream.
    observed(
      config.audit === undefined
        ? { name: 'audit', wrap: (next) => next }
        : audit({ audit: config.audit, longRunning, logger }),
    ),
    config.features?.constrainedImpersonation === false
      ? observed(impersonation({ authorizer, clock, logger, isLegacyOnly: true }))
      : observed(
          impersonation({ authorizer, clock, logger, metrics: metrics.impersonation }),
          'constrainedimpersonation',
        ),
    limits({ config, metrics }, observed),
    observed(authorization({ authorizer, logger, metrics: metrics.authorization })),
    overdue(),
    ...(tracer !== undefined || config.audit !== undefined ? [workObservation()] : []),
  ];
}

/** Fair shares, which are observed, or else limits alone. */
function limits(
  { config, metrics }: Pick<ChainDependencies, 'config' | 'metrics'>,
  observed: (filter: Filter, name: string) => Filter,
): Filter {
  const { flowControl, longRunning, requestTimeout } = config;
  const inFlight = metrics.inFlight;
  if (flowControl !== undefined) {
    const fairness = priorityAndFairness({ flowControl, longRunning, metrics: inFlight, requestTimeout });
    return observed(fairness, 'priorityandfairness');
  }
  const { maxRequestsInFlight: readOnly, maxMutatingRequestsInFlight: mutating } = config;
  return maxInFlight({ readOnly, mutating, longRunning, metrics: inFlight });
}

/** Puts filters around a handler, the first one outermost. */
export function buildHandlerChain(handler: Handler, filters: readonly Filter[]): Handler {
  return filters.reduceRight((next, filter) => filter.wrap(next), handler);
}
