/** Checks of the addresses of webhooks in configurations. Loads no network modules. */
export { validateCABundle } from './ca-bundle.js';
export { validateWebhookAddress, type WebhookAddress } from './webhook-address.js';
export { validateWebhookService } from './webhook-service.js';
export { validateWebhookURL } from './webhook-url.js';
