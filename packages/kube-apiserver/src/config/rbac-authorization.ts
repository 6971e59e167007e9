import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@apiserver/api/rbac/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { once } from '@apiserver/apimachinery/lazy';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Authorizer, Informer, RuleResolver } from '@apiserver/apiserver-contracts';
import type { ServerContext } from '@apiserver/generic-server';
import { InformedPolicyIndex, rbacAuthorizer } from '@apiserver/rbac-authorizer';
import { createInformer } from '@apiserver/registry-store';

/** Dependencies of role-based access control. */
export interface RbacDependencies {
  readonly context: Pick<ServerContext, 'loopback' | 'clock' | 'logger' | 'disposables'>;
  readonly random: RandomInt;
  /** True if it authorizes requests. Upstream flag: --authorization-mode */
  readonly isEnforced: boolean;
}

/** Role-based access control of one server. Nothing is read before the first authorization. */
export interface RbacAuthorization {
  readonly authorizer: Authorizer & RuleResolver;
  readonly clusterRoles: Informer<ClusterRole>;
  /**
   * Resolves when the policy has been read; until then, less is granted. Resolves immediately if RBAC is not a mode.
   */
  synced(signal: AbortSignal): Promise<void>;
}

/** Follows roles and bindings by the server's own API. Upstream: the mode RBAC in pkg/kubeapiserver/authorizer */
export function createRbacAuthorization({ context, random, isEnforced }: RbacDependencies): RbacAuthorization {
  const { loopback, clock, logger, disposables } = context;
  const informer = <T extends KubeObject>(resource: string): Informer<T> => {
    const client = loopback.client.resource<T>({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
    return disposables.use(createInformer({ client, clock, random, logger: logger.named('informer') }));
  };
  const informers = {
    roles: informer<Role>('roles'),
    roleBindings: informer<RoleBinding>('rolebindings'),
    clusterRoles: informer<ClusterRole>('clusterroles'),
    clusterRoleBindings: informer<ClusterRoleBinding>('clusterrolebindings'),
  };
  // Created by the first authorization, because it starts the informers.
  const policy = once(() => disposables.use(new InformedPolicyIndex(informers)));
  const authorizer = once(() => rbacAuthorizer(policy().index, logger.named('rbac')));
  return {
    authorizer: {
      authorize: (attributes) => authorizer().authorize(attributes),
      rulesFor: (user, namespace) => authorizer().rulesFor(user, namespace),
    },
    clusterRoles: informers.clusterRoles,
    synced: async (signal) => (isEnforced ? policy().synced(signal) : undefined),
  };
}
