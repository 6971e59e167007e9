import type { Status } from '@apiserver/apimachinery';
import { isStatusError, messageOf } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter, Handler, Logger } from '@apiserver/apiserver-contracts';
import type { AuditConfig, AuditedRequest } from '@apiserver/audit';
import { ADMISSION_ANNOTATIONS } from '@apiserver/endpoints-installer';
import type { LongRunningCheck } from '../request/long-running.js';
import { auditedRequestOf } from './audit-init.js';
import { authorizerAttributes } from './authorizer-attributes.js';
import { internalError } from './internal-error.js';

/** Dependencies of the audit filter. */
export interface AuditFilterOptions {
  readonly audit: AuditConfig;
  readonly longRunning: LongRunningCheck;
  readonly logger: Logger;
}

/**
 * Makes the events of a request: when it has come, when a long-running response begins, and when the response is
 * complete.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/audit.go
 */
export function audit(options: AuditFilterOptions): Filter {
  return {
    name: 'audit',
    wrap: (next) => (exchange) => {
      const audited = beginAudit(exchange, options.audit);
      if (audited === undefined) return next(exchange);
      const received = audited.process('RequestReceived');
      const request = { exchange, audited, next };
      if (!options.audit.backend.isStrict) return serve(options, request, received);
      if (!(received instanceof Promise)) return serveIfStored(options, request, received);
      return received.then((isStored) => serveIfStored(options, request, isStored));
    },
  };
}

/** Evaluates the policy. Undefined if the request is not audited: it then costs no more than one that never is. */
function beginAudit(exchange: Exchange, { evaluate, metrics }: AuditConfig): AuditedRequest | undefined {
  const audited = auditedRequestOf(exchange);
  if (audited === undefined) return undefined;
  const attributes = authorizerAttributes(exchange, exchange.context.user);
  const config = evaluate(attributes);
  metrics.level(config.level);
  if (config.level === 'None') {
    exchange.context.audit = undefined;
    return undefined;
  }
  audited.begin(exchange, attributes, config);
  return audited;
}

/**
 * The response of a filter outside of `audit`, which has one event, with `message`. Undefined `audit`: nothing is
 * audited.
 * Upstream: withFailedRequestAudit and WithFailedAuthenticationAudit
 */
export function auditedRefusal(
  exchange: Exchange,
  { audit, message, respond }: { audit: AuditConfig | undefined; message: string; respond: () => ApiResponse },
): ApiResponse | Promise<ApiResponse> {
  const audited = audit && beginAudit(exchange, audit);
  audited?.responseStatus({ message });
  const response = respond();
  if (audited === undefined) return response;
  audited.responded(response.status ?? 0);
  const stored = audited.process('ResponseStarted');
  return stored instanceof Promise ? stored.then(() => response) : response;
}

/** A request on its way through the chain, and the event that it fills. */
interface AuditedCall {
  readonly exchange: Exchange;
  readonly audited: AuditedRequest;
  readonly next: Handler;
}

type Stored = boolean | Promise<boolean>;

function serveIfStored(options: AuditFilterOptions, request: AuditedCall, isStored: boolean) {
  if (isStored) return serve(options, request, true);
  options.audit.metrics.rejected();
  return internalError(request.exchange, new Error('failed to store audit event'), options.logger);
}

function serve(
  options: AuditFilterOptions,
  request: AuditedCall,
  received: Stored,
): ApiResponse | Promise<ApiResponse> {
  const { exchange, next } = request;
  const responded = (response: ApiResponse) => respond(options, request, received, response);
  let response: ApiResponse | Promise<ApiResponse>;
  try {
    response = next(exchange);
  } catch (error) {
    return fail(request, error);
  }
  return response instanceof Promise
    ? response.then(responded, (error: unknown) => fail(request, error))
    : responded(response);
}

/** A whole response waits for its event. The event of any other follows its end. */
function respond(
  { longRunning }: AuditFilterOptions,
  { exchange, audited }: AuditedCall,
  received: Stored,
  response: ApiResponse,
): ApiResponse | Promise<ApiResponse> {
  audited.responded(response.type === 'upgrade' ? (response.status ?? 101) : response.status);
  addAdmissionAnnotations(exchange, audited);
  const isLongRunning = longRunning(exchange);
  const begun = isLongRunning ? audited.process('ResponseStarted') : true;
  if (isLongRunning || (response.type !== 'bytes' && response.type !== 'value')) {
    exchange.onFinished(() => void complete(audited));
    return delivered(received, begun, response);
  }
  return delivered(received, complete(audited), response);
}

function complete(audited: AuditedRequest): Stored {
  audited.addLatencies();
  return audited.process('ResponseComplete');
}

/** Events of one turn of the event loop may share their delivery. */
function delivered(first: Stored, second: Stored, response: ApiResponse): ApiResponse | Promise<ApiResponse> {
  if (second instanceof Promise) {
    return (first instanceof Promise && first !== second ? Promise.all([first, second]) : second).then(() => response);
  }
  return first instanceof Promise ? first.then(() => response) : response;
}

/** A Status is a response that an outer filter encodes; any other error is a bug. */
async function fail({ exchange, audited }: AuditedCall, error: unknown): Promise<never> {
  const status = isStatusError(error) ? error.status : panicStatus(error);
  audited.responseStatus(status);
  addAdmissionAnnotations(exchange, audited);
  await audited.process(isStatusError(error) ? 'ResponseComplete' : 'Panic');
  throw error;
}

function panicStatus(error: unknown): Status {
  const message = `APIServer panic'd: ${messageOf(error)}`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'InternalError',
    message,
    code: 500,
  };
}

/** Annotations of plugins are part of the event at their level and above. */
function addAdmissionAnnotations({ context }: Exchange, audited: AuditedRequest): void {
  const annotations = context.values.get(ADMISSION_ANNOTATIONS);
  if (!(annotations instanceof Map)) return;
  for (const [key, { level, value }] of annotations) {
    if (level === 'Metadata' || audited.wantsRequestObject) audited.annotate(key, value);
  }
}
