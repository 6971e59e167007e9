/** A webhook for tests. */
export { startTestWebhook, type TestWebhook, type TestWebhookRequest } from './test-webhook.js';
