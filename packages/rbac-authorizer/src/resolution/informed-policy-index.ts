import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@apiserver/api/rbac/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';
import { PolicyIndex } from './policy-index.js';

/** Informers of all objects of the four kinds. Their owner disposes them. */
export interface PolicyInformers {
  readonly roles: Informer<Role>;
  readonly roleBindings: Informer<RoleBinding>;
  readonly clusterRoles: Informer<ClusterRole>;
  readonly clusterRoleBindings: Informer<ClusterRoleBinding>;
}

/** A PolicyIndex that follows informers. Before they have synced, it has fewer rules and so grants less. */
export class InformedPolicyIndex implements Disposable {
  readonly index: PolicyIndex;
  readonly #informers: PolicyInformers;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(informers: PolicyInformers) {
    const { roles, clusterRoles, roleBindings, clusterRoleBindings } = informers;
    const index = new PolicyIndex({
      role: (namespace, name) => roles.get(namespace, name),
      clusterRole: (name) => clusterRoles.get('', name),
    });
    this.index = index;
    this.#informers = informers;
    this.#unsubscribe = [
      follow(clusterRoleBindings, {
        set: (binding) => index.setClusterRoleBinding(binding),
        remove: (binding) => index.deleteClusterRoleBinding(binding),
      }),
      follow(roleBindings, {
        set: (binding) => index.setRoleBinding(binding),
        remove: (binding) => index.deleteRoleBinding(binding),
      }),
    ];
  }

  /** Resolves when all four informers have received their first list. Rejects if the signal aborts first. */
  async synced(signal?: AbortSignal): Promise<void> {
    const { roles, clusterRoles, roleBindings, clusterRoleBindings } = this.#informers;
    const informers = [roles, clusterRoles, roleBindings, clusterRoleBindings];
    await Promise.all(informers.map((informer) => informer.synced(signal)));
  }

  /** Stops following the informers, which keep running. */
  [Symbol.dispose](): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}

interface Followed<T> {
  set(object: T): void;
  remove(object: T): void;
}

/** May call `set` twice for an object that existed before. */
function follow<T extends KubeObject>(informer: Informer<T>, { set, remove }: Followed<T>): () => void {
  const unsubscribe = informer.subscribe({ added: set, updated: set, deleted: remove });
  for (const object of informer.list()) set(object);
  return unsubscribe;
}
