import type { ValidatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import { applyWebhookDefaults } from '../defaults/webhook-defaults.js';

/** Upstream: SetDefaults_ValidatingWebhook of pkg/apis/admissionregistration/v1/defaults.go */
export function applyValidatingWebhookDefaults({ webhooks = [] }: ValidatingWebhookConfiguration): void {
  webhooks.forEach(applyWebhookDefaults);
}
