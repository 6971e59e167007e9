import type { Secret } from '@apiserver/api/core/v1';
import { isNotFound } from '@apiserver/apimachinery/errors';
import type { ControllerContext } from '../controller.js';
import { namespacedKey, objectOfKey } from '../namespaced-key.js';
import { SECRETS } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';
import { expiryOf, TOKEN_SELECTION } from './bootstrap-token.js';

const WORKERS = 10;

/** Deletes expired bootstrap tokens. Upstream: TokenCleaner of pkg/controller/bootstrap */
export async function runTokenCleaner(context: ControllerContext): Promise<void> {
  const { signal, clock } = context;
  const tokens = context.informer<Secret>(SECRETS, TOKEN_SELECTION);
  const client = context.client.resource<Secret>(SECRETS);
  const queue = context.queue({
    name: 'token_cleaner',
    workers: WORKERS,
    sync: async (key) => {
      const { namespace, name } = objectOfKey(key);
      const secret = tokens.get(namespace, name);
      const expiry = secret && expiryOf(secret);
      if (secret === undefined || expiry === undefined) return;
      const left = expiry - clock.now();
      if (left > 0) return queue.addAfter(key, left);
      const { uid = '' } = secret.metadata;
      await client.delete(namespace, name, { preconditions: { uid } }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
  });
  const add = (secret: Secret) => queue.add(namespacedKey(secret));
  await runUntilAborted(signal, queue, [tokens.subscribe({ added: add, updated: add })]);
}
