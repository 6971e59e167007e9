import type { ValidatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { webhookStrategy } from '../strategy/webhook-strategy.js';

/** Upstream: pkg/registry/admissionregistration/validatingwebhookconfiguration/strategy.go */
export const validatingWebhookConfigurationStrategy: Strategy<ValidatingWebhookConfiguration> = webhookStrategy();
