import type { Secret, ServiceAccount } from '@apiserver/api/core/v1';
import type { ControllerContext } from '../controller.js';
import { runUntilAborted } from '../run-until-aborted.js';
import { accountReference, secretReference, TokenSecrets } from './token-secrets.js';

/** Upstream: NewTokensController, and --concurrent-serviceaccount-token-syncs */
const QUEUE = { workers: 5, retries: 10 };

/**
 * Secrets of type `kubernetes.io/service-account-token` get a token, and go with their service account.
 * Upstream: pkg/controller/serviceaccount/tokens_controller.go
 */
export async function runServiceAccountTokenController(context: ControllerContext): Promise<void> {
  const { signal, logger, signSecretToken } = context;
  if (signSecretToken === undefined) {
    logger.info('The controller is disabled, because the server has no private key for tokens');
    return;
  }
  const tokens = new TokenSecrets(context, signSecretToken);
  const { secrets, accounts } = tokens;
  await Promise.all([secrets.synced(signal), accounts.synced(signal)]);
  const accountQueue = context.queue({
    ...QUEUE,
    name: 'serviceaccount_tokens_service',
    sync: (key) => tokens.syncAccount(JSON.parse(key)),
  });
  const secretQueue = context.queue({
    ...QUEUE,
    name: 'serviceaccount_tokens_secret',
    sync: (key) => tokens.syncSecret(JSON.parse(key)),
  });
  const addAccount = (account: ServiceAccount) => accountQueue.add(JSON.stringify(accountReference(account)));
  const addSecret = (secret: Secret) => secretQueue.add(JSON.stringify(secretReference(secret)));
  await Promise.all([
    runUntilAborted(signal, accountQueue, [accounts.subscribe({ deleted: addAccount })]),
    runUntilAborted(signal, secretQueue, [
      secrets.subscribe({ added: addSecret, updated: addSecret, deleted: addSecret }),
    ]),
  ]);
}
