import type { MutatingWebhook, ValidatingWebhook } from '@apiserver/api/admissionregistration/v1';
import { applyRuleDefaults } from './match-defaults.js';

/** Upstream: SetDefaults_ValidatingWebhook of pkg/apis/admissionregistration/v1/defaults.go */
export function applyWebhookDefaults(webhook: ValidatingWebhook | MutatingWebhook): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  const { service } = webhook.clientConfig;
  if (service !== undefined) service.port ??= 443;
  applyRuleDefaults(webhook.rules);
}
