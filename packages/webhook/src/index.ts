/** The client of webhooks. */
export { CallingWebhookError } from './calling-webhook-error.js';
export type {
  ServiceAddress,
  ServicePort,
  ServiceResolver,
  WebhookClientConfig,
  WebhookService,
} from './client-config.js';
export type { WebhookCall, WebhookClient } from './webhook-client.js';
export { WebhookClients, type WebhookClientsOptions } from './webhook-clients.js';
