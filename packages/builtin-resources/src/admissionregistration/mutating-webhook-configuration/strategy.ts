import type { MutatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { webhookStrategy } from '../strategy/webhook-strategy.js';

/** Upstream: pkg/registry/admissionregistration/mutatingwebhookconfiguration/strategy.go */
export const mutatingWebhookConfigurationStrategy: Strategy<MutatingWebhookConfiguration> = webhookStrategy();
