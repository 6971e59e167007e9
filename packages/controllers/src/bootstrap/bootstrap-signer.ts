import type { ConfigMap, Secret } from '@apiserver/api/core/v1';
import { isConflict, isNotFound } from '@apiserver/apimachinery/errors';
import type { ControllerContext } from '../controller.js';
import { CONFIG_MAPS, SECRETS } from '../resources.js';
import { runUntilAborted } from '../run-until-aborted.js';
import { signingToken, TOKEN_SELECTION } from './bootstrap-token.js';
import { detachedSignature } from './detached-signature.js';

const NAMESPACE = 'kube-public';
const NAME = 'cluster-info';
const KUBECONFIG = 'kubeconfig';
const SIGNATURE_PREFIX = 'jws-kubeconfig-';

/**
 * Signs the kubeconfig in `kube-public/cluster-info` with every bootstrap token that may sign.
 * Upstream: Signer of pkg/controller/bootstrap
 */
export async function runBootstrapSigner(context: ControllerContext): Promise<void> {
  const { signal, clock } = context;
  const tokens = context.informer<Secret>(SECRETS, TOKEN_SELECTION);
  const selection = { namespace: NAMESPACE, fieldSelector: `metadata.name=${NAME}` };
  const configMaps = context.informer<ConfigMap>(CONFIG_MAPS, selection);
  const client = context.client.resource<ConfigMap>(CONFIG_MAPS);
  await Promise.all([tokens.synced(signal), configMaps.synced(signal)]);
  const queue = context.queue({
    name: 'bootstrap_signer_queue',
    workers: 1,
    sync: async () => {
      const current = configMaps.get(NAMESPACE, NAME);
      const data = current && signedData(current, tokens.list(), clock.now());
      if (current === undefined || data === undefined) return;
      await client.update(NAMESPACE, { ...current, data }).catch((error: unknown) => {
        // The change comes as an event.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      });
    },
  });
  const add = () => queue.add(`${NAMESPACE}/${NAME}`);
  await runUntilAborted(signal, queue, [
    tokens.subscribe({ added: add, updated: add, deleted: add }),
    configMaps.subscribe({ added: add, updated: add }),
  ]);
}

/** The data with the signatures of the tokens; undefined if it has exactly these. */
export function signedData(
  { data = {} }: ConfigMap,
  secrets: readonly Secret[],
  now: number,
): Record<string, string> | undefined {
  const content = data[KUBECONFIG];
  if (content === undefined) return undefined;
  const unsigned = Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX));
  const tokens = secrets.flatMap((secret) => signingToken(secret, now) ?? []);
  const signatures = tokens.map((token) => [`${SIGNATURE_PREFIX}${token.id}`, detachedSignature(content, token)]);
  const signed: Record<string, string> = Object.fromEntries([...unsigned, ...signatures]);
  const keys = Object.keys(signed);
  const isSame = keys.length === Object.keys(data).length && keys.every((key) => signed[key] === data[key]);
  return isSame ? undefined : signed;
}
