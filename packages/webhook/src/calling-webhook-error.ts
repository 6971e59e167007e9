import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';

/**
 * A failure to reach a webhook or to understand its response. A webhook that rejects a request is no such failure.
 * Upstream: ErrCallingWebhook of k8s.io/apiserver/pkg/util/webhook/error.go
 */
export class CallingWebhookError extends Error {
  override readonly name = 'CallingWebhookError';

  constructor(webhookName: string, reason: unknown) {
    super(`failed calling webhook ${quote(webhookName)}: ${messageOf(reason)}`, { cause: reason });
  }
}
