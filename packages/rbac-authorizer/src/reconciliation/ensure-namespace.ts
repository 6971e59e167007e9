import { isAlreadyExists, isForbidden, isNotFound, type KubeObject } from '@apiserver/apimachinery';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';

/**
 * Makes the namespace if it is missing, as far as the client may.
 * Upstream: tryEnsureNamespace in k8s.io/component-helpers/auth/rbac/reconciliation/namespace.go
 */
export async function ensureNamespace(loopbackClient: LoopbackClient, name: string): Promise<void> {
  const client = loopbackClient.resource<KubeObject>({ group: '', version: 'v1', resource: 'namespaces' });
  try {
    await client.get('', name);
    return;
  } catch (error) {
    if (!isNotFound(error) && !isForbidden(error)) throw error;
  }
  try {
    await client.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  } catch (error) {
    if (!isAlreadyExists(error) && !isForbidden(error)) throw error;
  }
}
