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
import { auditedRefusal } from './audit.js';

/** Dependencies of the authentication filter. */
export interface AuthenticationFilterOptions {
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly metrics?: AuthenticationMetrics;
  /** Called for each refused request. */
  readonly onRefusal?: (exchange: Exchange) => void;
  /** The audiences of this server. Default: credentials for any audience are accepted. */
  readonly apiAudiences?: readonly string[];
  /** The test of the request context. Undefined: no front proxy is trusted. */
  readonly isIdentityHeader?: ((name: string) => boolean) | undefined;
  /** True if connections of unauthenticated clients over HTTP/2 stay open. Default: false. */
  readonly keepsHttp2?: boolean;
  /** Undefined if nothing is audited. */
  readonly audit?: AuditConfig | undefined;
}

/**
 * Authenticates the request; returns 401 for an invalid credential, or without one.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/authentication.go
 */
export function authentication(options: AuthenticationFilterOptions): Filter {
  const { authenticator, logger, metrics, audit, apiAudiences = [], isIdentityHeader, keepsHttp2 = false } = options;
  const refuse = (exchange: Exchange) => {
    options.onRefusal?.(exchange);
    if (!keepsHttp2) leaveHttp2(exchange);
    return auditedRefusal(exchange, {
      audit,
      message: attemptedMethods(exchange),
      respond: () => respondError(exchange, newUnauthorized('Unauthorized'), logger),
    });
  };
  return {
    name: 'authentication',
    wrap: (next) => (exchange) => {
      const started = performance.now();
      const accept = (response: AuthenticationResponse | undefined) => {
        const { audiences = [] } = response ?? {};
        if (!areAcceptable(apiAudiences, audiences)) {
          return fail(
            new AudienceError(
              `unable to match the audience: [${audiences.join(' ')}] , accepted: [${apiAudiences.join(' ')}]`,
            ),
          );
        }
        const spent = performance.now() - started;
        metrics?.observe(response === undefined ? 'failure' : 'success', spent);
        exchange.context.audit?.spend('authentication', spent);
        if (response === undefined) return refuse(exchange);
        metrics?.userRequest(response.user.name);
        const { context } = exchange;
        context.user = response.user;
        context.audiences = response.audiences;
        if (isIdentityHeader !== undefined) context.isIdentityHeader = isIdentityHeader;
        if (!keepsHttp2 && isUnauthenticated(response.user)) leaveHttp2(exchange);
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

/** A credential is for other servers. */
class AudienceError extends Error {}

/** Upstream: audiencesAreAcceptable */
function areAcceptable(accepted: readonly string[], audiences: readonly string[]): boolean {
  if (accepted.length === 0 || audiences.length === 0) return true;
  return audiences.some((audience) => accepted.includes(audience));
}

/** Upstream: isAnonymousUser */
function isUnauthenticated({ name, groups }: UserInfo): boolean {
  return name === wellKnownUsers.anonymous || groups.includes(wellKnownGroups.unauthenticated);
}

/**
 * HTTP/2 connections can become expensive, so those of unauthenticated clients are closed. Upstream feature gate:
 * UnauthenticatedHTTP2DOSMitigation
 */
function leaveHttp2({ request, responseHeaders }: Exchange): void {
  if (request.httpVersion === '2.0') responseHeaders.set('connection', 'close');
}
