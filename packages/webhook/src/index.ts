/** The client of webhooks. */
export { CallingWebhookError } from './calling-webhook-error.js';
export type {
  ServiceAddress,
  ServicePort,
  ServiceResolver,
  WebhookClientConfig,
  WebhookService,
} from './client-config.js';
export { type KubeconfigWebhookOptions, kubeconfigWebhook, MAX_REVIEW_BYTES } from './kubeconfig-webhook.js';
export { emptyResponse, type PostToServer, type WebhookCall, type WebhookClient } from './webhook-client.js';
export { WebhookClients, type WebhookClientsOptions } from './webhook-clients.js';
