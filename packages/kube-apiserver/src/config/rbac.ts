import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@apiserver/api/rbac/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';
import type { Authorizer, Informer, Logger, LoopbackClient, RuleResolver } from '@apiserver/apiserver-contracts';
import { InformedPolicyIndex, rbacAuthorizer } from '@apiserver/rbac-authorizer';
import { createInformer } from '@apiserver/registry-store';

/** What role-based access control is made of. */
export interface RbacParts {
  readonly loopbackClient: LoopbackClient;
  readonly clock: Clock;
  readonly random: RandomInt;
  readonly logger: Logger;
}

/** Role-based access control of one server. Nothing is read before the first question. */
export interface Rbac {
  /** Who takes it is taken to ask it. */
  readonly authorizer: Authorizer & RuleResolver;
  readonly clusterRoles: Informer<ClusterRole>;
  /** Resolves when the policy has been read, before which less is granted; at once where nobody took the authorizer. */
  synced(signal: AbortSignal): Promise<void>;
  /** To be disposed with the server, in reverse order. */
  readonly owned: readonly AsyncDisposable[];
}

/** Follows roles and bindings by the server's own API. Upstream: the mode RBAC in pkg/kubeapiserver/authorizer */
export function createRbac({ loopbackClient, clock, random, logger }: RbacParts): Rbac {
  const informer = <T extends KubeObject>(resource: string): Informer<T> => {
    const client = loopbackClient.resource<T>({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
    return createInformer({ client, clock, random, logger: logger.named('informer') });
  };
  const informers = {
    roles: informer<Role>('roles'),
    roleBindings: informer<RoleBinding>('rolebindings'),
    clusterRoles: informer<ClusterRole>('clusterroles'),
    clusterRoleBindings: informer<ClusterRoleBinding>('clusterrolebindings'),
  };
  let informed: InformedPolicyIndex | undefined;
  // It starts the informers, which have a server to ask only after this config has become one.
  const policy = () => {
    informed ??= new InformedPolicyIndex(informers);
    return informed;
  };
  let made: (Authorizer & RuleResolver) | undefined;
  const authorizer = () => {
    made ??= rbacAuthorizer(policy().index, logger.named('rbac'));
    return made;
  };
  const deferred: Authorizer & RuleResolver = {
    authorize: (attributes, signal) => authorizer().authorize(attributes, signal),
    rulesFor: (user, namespace) => authorizer().rulesFor(user, namespace),
  };
  let taken = false;
  return {
    get authorizer() {
      taken = true;
      return deferred;
    },
    clusterRoles: informers.clusterRoles,
    synced: async (signal) => (taken ? policy().synced(signal) : undefined),
    owned: [...Object.values(informers), { [Symbol.asyncDispose]: async () => informed?.[Symbol.dispose]() }],
  };
}
