import { expect, it } from 'vitest';
import type { ControllerContext } from '../controller.js';
import { runServiceAccountTokenController } from './service-account-token-controller.js';

// Upstream: "Controller is disabled because there is no private key"
it('does nothing without a private key, as beside an external signer', async () => {
  const messages: string[] = [];
  const logger = { info: (message: string) => messages.push(message) };
  const context: Partial<ControllerContext> = { logger: logger as never, signSecretToken: undefined };
  await runServiceAccountTokenController(context as never);
  expect(messages).toEqual(['The controller is disabled, because the server has no private key for tokens']);
});
