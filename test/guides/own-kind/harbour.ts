import { type ApiServer, consoleLogger, createApiServer } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';
import { boats } from './boat.ts';

/** Starts a server of boats and writes the kubeconfig of its administrator. */
export async function startHarbour(storage: KeyValueStore, kubeconfig: string): Promise<ApiServer> {
  const api = await createApiServer({
    name: 'harbour',
    groups: [{ resources: [boats] }],
    storage,
    logger: consoleLogger(),
  });
  console.log(`listening on ${await api.listen()}`);
  api.writeKubeconfig(kubeconfig);
  return api;
}
