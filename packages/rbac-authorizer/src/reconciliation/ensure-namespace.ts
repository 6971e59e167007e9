import type { KubeObject } from '@apiserver/apimachinery';
import { isAlreadyExists, isForbidden, isNotFound } from '@apiserver/apimachinery/errors';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';

/**
 * Creates missing namespaces, if the client is allowed to. Each namespace is checked once.
 * Upstream: tryEnsureNamespace in k8s.io/component-helpers/auth/rbac/reconciliation/namespace.go
 */
export class EnsuredNamespaces {
  readonly #client: LoopbackClient;
  readonly #ensured = new Map<string, Promise<void>>();

  constructor(client: LoopbackClient) {
    this.#client = client;
  }

  /** After a failure, the next call retries. */
  ensure(name: string): Promise<void> {
    let ensured = this.#ensured.get(name);
    if (ensured === undefined) {
      ensured = ensureNamespace(this.#client, name).catch((error: unknown) => {
        this.#ensured.delete(name);
        throw error;
      });
      this.#ensured.set(name, ensured);
    }
    return ensured;
  }
}

async function ensureNamespace(loopbackClient: LoopbackClient, name: string): Promise<void> {
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
