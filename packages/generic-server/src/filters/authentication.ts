import { newUnauthorized } from '@apiserver/apimachinery/errors';
import {
  type AuthenticationResponse,
  type Authenticator,
  type Exchange,
  type Filter,
  type Logger,
  type UserInfo,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';
import type { AuditConfig } from '@apiserver/audit';
import { respondError } from '@apiserver/endpoints-installer';
import type { AuthenticationMetrics } from '../metrics/authentication-metrics.js';
import { attemptedMethods } from './attempted-methods.js';
import { beginAudit } from './audit.js';

/** Dependencies of the authentication filter. */
export interface AuthenticationFilterOptions {
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly metrics?: AuthenticationMetrics;
  /** Undefined if nothing is audited. */
  readonly audit?: AuditConfig | undefined;
}

/**
 * Authenticates the request; returns 401 for an invalid credential, or without one.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/authentication.go
 */
export function authentication({ authenticator, logger, metrics, audit }: AuthenticationFilterOptions): Filter {
  const refuse = (exchange: Exchange) => {
    leaveHttp2(exchange);
    const audited = audit && beginAudit(exchange, audit);
    audited?.responseStatus({ message: attemptedMethods(exchange) });
    const response = respondError(exchange, newUnauthorized('Unauthorized'), logger);
    if (audited === undefined) return response;
    audited.responded(response.status ?? 0);
    const stored = audited.process('ResponseStarted');
    return stored instanceof Promise ? stored.then(() => response) : response;
  };
  return {
    name: 'authentication',
    wrap: (next) => (exchange) => {
      const started = performance.now();
      const accept = (response: AuthenticationResponse | undefined) => {
        const spent = performance.now() - started;
        metrics?.observe(response === undefined ? 'failure' : 'success', spent);
        exchange.context.audit?.spend('authentication', spent);
        if (response === undefined) return refuse(exchange);
        metrics?.userRequest(response.user.name);
        const { context } = exchange;
        context.user = response.user;
        context.audiences = response.audiences;
        if (isUnauthenticated(response.user)) leaveHttp2(exchange);
        return next(exchange);
      };
      const fail = (error: unknown) => {
        metrics?.observe('error', performance.now() - started);
        logger.error(error, 'Unable to authenticate the request');
        return refuse(exchange);
      };
      let response: ReturnType<Authenticator['authenticateRequest']>;
      try {
        response = authenticator.authenticateRequest(exchange);
      } catch (error) {
        return fail(error);
      }
      return response instanceof Promise ? response.then(accept, fail) : accept(response);
    },
  };
}

/** Upstream: isAnonymousUser */
function isUnauthenticated({ name, groups }: UserInfo): boolean {
  return name === wellKnownUsers.anonymous || groups.includes(wellKnownGroups.unauthenticated);
}

/**
 * HTTP/2 connections can become expensive, so those of unauthenticated clients are closed. Upstream feature gate:
 * UnauthenticatedHTTP2DOSMitigation, on
 */
function leaveHttp2({ request, responseHeaders }: Exchange): void {
  if (request.httpVersion === '2.0') responseHeaders.set('connection', 'close');
}
