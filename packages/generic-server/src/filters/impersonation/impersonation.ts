import { isStatusError } from '@apiserver/apimachinery/errors';
import type {
  ApiResponse,
  Authorizer,
  Exchange,
  Filter,
  Handler,
  Logger,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import { respondError } from '@apiserver/endpoints-installer';
import { userOf } from '../../request/request-info-of.js';
import { authorizerAttributes } from '../authorizer-attributes.js';
import { laterTurn } from '../later-turn.js';
import { respondRefusal } from '../respond-refusal.js';
import { impersonationNames, wantedUserOf } from './impersonation-headers.js';
import {
  type Impersonated,
  type ImpersonationAttempt,
  type ImpersonationMode,
  impersonationModes,
} from './impersonation-mode.js';

/** Number of headers from which on they are read in a separate event loop turn. */
const MANY_NAMES = 500;

/** Maximum number of requestors whose last mode is remembered. Upstream: modeIndexCache */
const rememberedRequestors = 1_024;

/** The authorizer, and the logger of denials. */
export interface ImpersonationOptions {
  readonly authorizer: Authorizer;
  readonly logger: Logger;
}

/**
 * Lets a user act as another one, if the authorizer allows it. The constrained modes are tried first, then the legacy
 * one.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation (feature gate ConstrainedImpersonation, on)
 */
export function impersonation({ authorizer, logger }: ImpersonationOptions): Filter {
  const findUser = userFinder(impersonationModes(authorizer));
  const refuse = (exchange: Exchange, error: unknown) => {
    exchange.responseHeaders.set('x-content-type-options', 'nosniff');
    return isStatusError(error) ? respondRefusal(exchange, error, logger) : respondError(exchange, error, logger);
  };
  const impersonate = async (next: Handler, exchange: Exchange, wanted: UserInfo): Promise<ApiResponse> => {
    const requestor = userOf(exchange);
    const started = performance.now();
    let impersonated: Impersonated;
    try {
      impersonated = await findUser({ wanted, attributes: authorizerAttributes(exchange, requestor) });
    } catch (error) {
      logger.v(4)?.info('Forbidden', { URI: exchange.request.url, err: String(error) });
      return refuse(exchange, error);
    }
    const { user, constraint } = impersonated;
    exchange.context.user = user;
    exchange.context.audit?.spend('impersonation', performance.now() - started);
    exchange.context.audit?.impersonate(user, constraint);
    logger.v(3)?.info('Impersonating', { requestor: requestor.name, user: user.name });
    return next(exchange);
  };
  return {
    name: 'impersonation',
    wrap: (next) => {
      const read = (exchange: Exchange, names: readonly string[]) => {
        let wanted: UserInfo | undefined;
        try {
          wanted = wantedUserOf(exchange.request.headers, names);
        } catch (error) {
          return refuse(exchange, error);
        }
        return wanted === undefined ? next(exchange) : impersonate(next, exchange, wanted);
      };
      return (exchange) => {
        const names = impersonationNames(exchange.request.headers);
        if (names === undefined) return next(exchange);
        // Reading the head has already taken most of this turn.
        return names.length > MANY_NAMES ? laterTurn().then(() => read(exchange, names)) : read(exchange, names);
      };
    },
  };
}

/** Tries the last successful mode first. If all fail, the reason of the first mode is returned. */
function userFinder(modes: readonly ImpersonationMode[]): (attempt: ImpersonationAttempt) => Promise<Impersonated> {
  const lastMode = new Map<string, ImpersonationMode>();
  return async (attempt) => {
    const requestor = JSON.stringify(attempt.attributes.user);
    const last = lastMode.get(requestor);
    const inOrder = last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)];
    let refusal: unknown;
    for (const mode of inOrder) {
      try {
        const impersonated = await mode(attempt);
        if (impersonated === undefined) continue;
        remember(lastMode, requestor, mode);
        return impersonated;
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal ?? new Error('all impersonation modes failed');
  };
}

function remember(lastMode: Map<string, ImpersonationMode>, requestor: string, mode: ImpersonationMode): void {
  lastMode.delete(requestor);
  lastMode.set(requestor, mode);
  for (const oldest of lastMode.keys()) {
    if (lastMode.size <= rememberedRequestors) break;
    lastMode.delete(oldest);
  }
}
