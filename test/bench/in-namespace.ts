import { AdminClient } from '../harness/admin-client.ts';

/** Makes a namespace, works in it, and removes it with what is in it. */
export async function inNamespace<T>(
  kubeconfig: string,
  namespace: string,
  work: (namespace: string) => Promise<T>,
): Promise<T> {
  using client = new AdminClient(kubeconfig);
  await client.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  try {
    return await work(namespace);
  } finally {
    await client.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps`);
    await client.request('DELETE', `/api/v1/namespaces/${namespace}`);
  }
}
