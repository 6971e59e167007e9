import { isStatusError } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter, Handler, Logger, UserInfo } from '@apiserver/apiserver-contracts';
import { respondError } from '@apiserver/endpoints-installer';
import { modeOfVerb } from '../../metrics/impersonation-metrics.js';
import { requestInfoOf, userOf } from '../../request/request-info-of.js';
import { authorizerAttributes } from '../authorizer-attributes.js';
import { laterTurn } from '../later-turn.js';
import { respondRefusal } from '../respond-refusal.js';
import type { Impersonated } from './impersonated.js';
import { ImpersonationKeys } from './impersonation-cache.js';
import { impersonationNames, wantedUserOf } from './impersonation-headers.js';
import {
  type ImpersonationAttempt,
  type ImpersonationMode,
  type ImpersonationModesOptions,
  impersonationModes,
} from './impersonation-mode.js';

/** Number of headers from which on they are read in a separate event loop turn. */
const MANY_NAMES = 500;

/** Maximum number of requestors whose last mode is remembered. Upstream: newModeIndexCache */
const REMEMBERED_REQUESTORS = 10_000;

/** Dependencies of the filter. */
export interface ImpersonationOptions extends ImpersonationModesOptions {
  readonly logger: Logger;
}

/**
 * Lets a user act as another one, if the authorizer allows it. The constrained modes are tried first, then the legacy
 * one.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation (feature gate ConstrainedImpersonation, on)
 */
export function impersonation(options: ImpersonationOptions): Filter {
  const { authorizer, logger, metrics } = options;
  const findUser = userFinder(impersonationModes(options));
  const refuse = (exchange: Exchange, error: unknown) => {
    exchange.responseHeaders.set('x-content-type-options', 'nosniff');
    return isStatusError(error) ? respondRefusal(exchange, error, logger) : respondError(exchange, error, logger);
  };
  const impersonate = async (next: Handler, exchange: Exchange, wanted: UserInfo): Promise<ApiResponse> => {
    const requestor = userOf(exchange);
    const started = performance.now();
    const spent = (mode: string, isAllowed: boolean) => {
      const milliseconds = performance.now() - started;
      metrics?.attempted(mode, isAllowed, milliseconds);
      exchange.context.audit?.spend('impersonation', milliseconds);
    };
    let impersonated: Impersonated;
    try {
      // A signal costs; only a call to another server outlives a client.
      const signal = authorizer.isRemote ? exchange.signal : undefined;
      impersonated = await findUser({ ...attemptOf(exchange, wanted, requestor), signal });
    } catch (error) {
      spent('', false);
      logger.v(4)?.info('Forbidden', { URI: exchange.request.url, err: String(error) });
      return refuse(exchange, error);
    }
    const { user, constraint } = impersonated;
    spent(modeOfVerb(constraint || 'impersonate'), true);
    exchange.context.user = user;
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

function attemptOf(exchange: Exchange, wanted: UserInfo, requestor: UserInfo): Omit<ImpersonationAttempt, 'signal'> {
  const attributes = authorizerAttributes(exchange, requestor);
  const { fieldSelector, labelSelector } = requestInfoOf(exchange);
  const isParsed = (text: string, selector: object | undefined) => text === '' || selector !== undefined;
  const isUnderstood =
    isParsed(fieldSelector, attributes.fieldSelector) && isParsed(labelSelector, attributes.labelSelector);
  return { wanted, attributes, keys: new ImpersonationKeys(wanted, attributes, isUnderstood) };
}

/** Tries the last successful mode first. If all fail, the reason of the first mode is returned. */
function userFinder(modes: readonly ImpersonationMode[]): (attempt: ImpersonationAttempt) => Promise<Impersonated> {
  const lastMode = new Map<string, ImpersonationMode>();
  return async (attempt) => {
    const requestor = attempt.attributes.user.name;
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
    if (lastMode.size <= REMEMBERED_REQUESTORS) break;
    lastMode.delete(oldest);
  }
}
