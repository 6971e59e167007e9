import type { MutatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import { applyWebhookDefaults } from '../defaults/webhook-defaults.js';

/** Upstream: SetDefaults_MutatingWebhook of pkg/apis/admissionregistration/v1/defaults.go */
export function applyMutatingWebhookDefaults({ webhooks = [] }: MutatingWebhookConfiguration): void {
  for (const webhook of webhooks) {
    applyWebhookDefaults(webhook);
    webhook.reinvocationPolicy ??= 'Never';
  }
}
