import { isStatusError, newInternalError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { requestTimeout } from '../request-timeout.js';
import type { ConfiguredWebhook, WebhookType } from './configured-webhook.js';
import type { WebhookEnvironment } from './webhook-environment.js';
import { WebhookCallError, WebhookRejection } from './webhook-errors.js';
import type { ObservedCall } from './webhook-metrics.js';

/** A finished call of a webhook. */
export interface FinishedCall {
  readonly webhook: ConfiguredWebhook;
  readonly attributes: AdmissionAttributes;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Undefined if the webhook allowed the request. */
  readonly error: unknown;
}

/** The effect of a call on its request. */
export type CallOutcome = { readonly refusal: unknown } | { readonly failedOpen: boolean };

const ALLOWED: CallOutcome = { failedOpen: false };

/** Counts and logs calls of webhooks, and applies their failure policies. */
export class CallOutcomes {
  readonly #type: WebhookType;
  readonly #environment: WebhookEnvironment;

  constructor(type: WebhookType, environment: WebhookEnvironment) {
    this.#type = type;
    this.#environment = environment;
  }

  /** `failedOpen` is true if the webhook failed and its failures are ignored. */
  of(finished: FinishedCall): CallOutcome {
    const { webhook, error } = finished;
    if (error === undefined) {
      this.#environment.metrics.called(this.#observed(finished, 200, false));
      return ALLOWED;
    }
    if (error instanceof WebhookCallError) return this.#failed(finished, error);
    const { metrics, logger } = this.#environment;
    const rejection = error instanceof WebhookRejection ? error.status : undefined;
    const call = this.#observed(finished, rejection?.status.code ?? 0, true);
    metrics.rejected(call, rejection === undefined ? 'apiserver_internal_error' : 'no_error');
    metrics.called(call);
    if (this.#type === 'validating') {
      logger.warning('Rejected by webhook', { webhook: webhook.name, error: String(error) });
    }
    if (rejection !== undefined) return { refusal: rejection };
    return { refusal: isStatusError(error) ? error : newInternalError(error) };
  }

  #failed(finished: FinishedCall, error: WebhookCallError): CallOutcome {
    const { webhook, attributes } = finished;
    const { metrics, logger } = this.#environment;
    const call = this.#observed(finished, error.code, !webhook.ignoresFailures);
    if (!webhook.ignoresFailures) {
      if (!error.isCanceled) metrics.rejected(call, 'calling_webhook_error');
      metrics.called(call);
      logger.warning('Failed calling webhook, failing closed', { webhook: webhook.name, error: error.message });
      return { refusal: newInternalError(error) };
    }
    metrics.called(call);
    if (error.isCanceled) {
      logger.warning('Context canceled when calling webhook', { webhook: webhook.name });
    } else {
      logger.warning('Failed calling webhook, failing open', { webhook: webhook.name, error: error.message });
      metrics.failedOpen(webhook.name, this.#type);
    }
    // The client has gone, or knows of the timeout: the request must have no effect.
    if (this.isOver(attributes)) return { refusal: requestTimeout() };
    return { failedOpen: !error.isCanceled };
  }

  /** True if the client has gone, or the request's time is over. */
  isOver({ signal, deadline }: AdmissionAttributes): boolean {
    return signal.aborted || (deadline !== undefined && performance.now() >= deadline);
  }

  #observed({ webhook, attributes, startedAt }: FinishedCall, code: number, rejected: boolean): ObservedCall {
    const seconds = (performance.now() - startedAt) / 1000;
    return { name: webhook.name, type: this.#type, operation: attributes.operation, seconds, code, rejected };
  }
}
