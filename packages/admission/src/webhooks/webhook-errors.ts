import type { AdmissionResponse } from '@apiserver/api/admission/v1';
import { newBadRequest, StatusError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { CallingWebhookError } from '@apiserver/webhook';

/** A webhook could not be called, or its response cannot be used. Upstream: ErrCallingWebhook */
export class WebhookCallError extends CallingWebhookError {
  /** For metrics. */
  readonly code: number;
  /** True if the client has gone away: the webhook is not to blame. */
  readonly isCanceled: boolean;

  constructor(webhookName: string, reason: string, code: number, isCanceled = false) {
    super(webhookName, reason);
    this.code = code;
    this.isCanceled = isCanceled;
  }
}

/** A webhook denied the request. Upstream: ErrWebhookRejection */
export class WebhookRejection extends Error {
  override readonly name = 'WebhookRejection';
  readonly status: StatusError;

  constructor(status: StatusError) {
    super(status.message);
    this.status = status;
  }
}

/**
 * The response to the client when a webhook denies its request.
 * Upstream: ToStatusErr of k8s.io/apiserver/pkg/admission/plugin/webhook/errors
 */
export function denialOf(
  webhookName: string,
  result: Partial<NonNullable<AdmissionResponse['status']>> = {},
): StatusError {
  const denied = `admission webhook ${quote(webhookName)} denied the request`;
  const { message = '', reason = '', details, code = 0, metadata, status = '' } = result;
  const explained = message !== '' ? message : reason;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: metadata ?? {},
    // Upstream keeps a text of the webhook's own.
    status: status === '' || status === 'Success' ? 'Failure' : status,
    message: explained === '' ? `${denied} without explanation` : `${denied}: ${explained}`,
    ...(reason !== '' && { reason }),
    ...(details && { details }),
    code: code < 400 ? 400 : code,
  });
}

/** Upstream: NewDryRunUnsupportedErr */
export function dryRunUnsupported(webhookName: string): StatusError {
  return newBadRequest(`admission webhook ${quote(webhookName)} does not support dry run`);
}
