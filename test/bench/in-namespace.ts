import { AdminClient } from '../harness/admin-client.ts';
import { configMaps, pods, widgets } from './bench-kinds.ts';

/** A namespace with the account that pods run as, which only a kube-controller-manager would make. */
export async function makeNamespace(client: AdminClient, namespace: string): Promise<void> {
  await client.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await client.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
}

/** Removes a namespace with its remaining objects. */
export async function removeNamespace(client: AdminClient, namespace: string): Promise<void> {
  for (const kind of [configMaps, pods, widgets]) await client.request('DELETE', kind.collection(namespace));
  await client.request('DELETE', `/api/v1/namespaces/${namespace}`);
}

/** Makes a namespace, works in it, and removes it with its objects. The work may outlast an idle connection. */
export async function inNamespace<T>(
  kubeconfig: string,
  namespace: string,
  work: (namespace: string) => Promise<T>,
): Promise<T> {
  {
    using client = new AdminClient(kubeconfig);
    await makeNamespace(client, namespace);
  }
  try {
    return await work(namespace);
  } finally {
    using client = new AdminClient(kubeconfig);
    await removeNamespace(client, namespace);
  }
}
