import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  Exchange,
  Filter,
  Handler,
  Logger,
  RequestAudit,
} from '@apiserver/apiserver-contracts';
import { forbiddenError } from '@apiserver/endpoints-installer';
import type { AuthorizationMetrics } from '../metrics/authentication-metrics.js';
import { userOf } from '../request/request-info-of.js';
import { authorizerAttributes } from './authorizer-attributes.js';
import { internalError } from './internal-error.js';
import { laterTurn } from './later-turn.js';
import { respondRefusal } from './respond-refusal.js';

/** Dependencies of the authorization filter. */
export interface AuthorizationFilterOptions {
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  readonly metrics?: AuthorizationMetrics;
}

/**
 * The innermost filter: passes allowed requests, and returns 403 for others.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/authorization.go
 */
export function authorization(options: AuthorizationFilterOptions): Filter {
  return {
    name: 'authorization',
    wrap: (next) => (exchange) => {
      const attributes = authorizerAttributes(exchange, userOf(exchange));
      const started = performance.now();
      // A signal costs; only a call to another server outlives a client.
      const signal = options.authorizer.isRemote ? exchange.signal : undefined;
      const result = options.authorizer.authorize(attributes, signal);
      const question = { exchange, attributes, started, next };
      return result instanceof Promise
        ? result.then((settled) => decide(options, question, settled))
        : decide(options, question, result);
    },
  };
}

interface Question {
  readonly exchange: Exchange;
  readonly attributes: AuthorizationAttributes;
  readonly started: number;
  readonly next: Handler;
}

/** An error does not revoke an Allow. */
function decide({ logger, metrics }: AuthorizationFilterOptions, question: Question, result: AuthorizationResult) {
  const { exchange, attributes, started, next } = question;
  const spent = performance.now() - started;
  metrics?.observe(outcomeOf(result), spent);
  const { audit } = exchange.context;
  audit?.spend('authorization', spent);
  if (result.decision === 'Allow') {
    if (audit !== undefined) noteDecision(audit, 'allow', result.reason);
    return next(exchange);
  }
  if (result.error !== undefined) audit?.annotate(REASON, 'internal error');
  else if (audit !== undefined) noteDecision(audit, 'forbid', result.reason);
  if (result.error !== undefined) return internalError(exchange, result.error, logger);
  logger.v(4)?.info('Forbidden', { URI: exchange.request.url, reason: result.reason });
  exchange.responseHeaders.set('x-content-type-options', 'nosniff');
  const refuse = () => respondRefusal(exchange, forbiddenError(attributes, result.reason), logger);
  // Parsing a long path has already taken most of this turn.
  return exchange.request.url.length > LONG_URL ? laterTurn().then(refuse) : refuse();
}

/** Upstream: the annotation keys of k8s.io/apiserver/pkg/endpoints/filters/authorization.go */
const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

function noteDecision(audit: RequestAudit, decision: 'allow' | 'forbid', reason: string): void {
  audit.annotate(DECISION, decision);
  audit.annotate(REASON, reason);
}

const LONG_URL = 64 * 1024;

function outcomeOf({ decision, error }: AuthorizationResult): 'allowed' | 'denied' | 'no-opinion' | 'error' {
  if (decision === 'Allow') return 'allowed';
  if (error !== undefined) return 'error';
  return decision === 'Deny' ? 'denied' : 'no-opinion';
}
