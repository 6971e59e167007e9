import type { KubeObject } from '@apiserver/apimachinery';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { loadedObjects, type ResourceDefinition, type VerbContext } from '@apiserver/apiserver-contracts';
import {
  clusterRoleBindingDeclaration,
  clusterRoleDeclaration,
  roleBindingDeclaration,
  roleDeclaration,
} from '@apiserver/builtin-resources';
import {
  type EscalationGuard,
  escalationGuard,
  listedRuleResolver,
  type PolicyReader,
} from '@apiserver/rbac-authorizer';
import { groupResourceOf, interpretError, type StorageProvider } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** Prevents users from granting more than their own rights. Nothing is read before the first role is written. */
export function escalationGuardOf({ generic, storage }: CompletedKubeApiServerConfig): EscalationGuard {
  const { authorizer, logger } = generic;
  const resolverFor = (context: VerbContext) => listedRuleResolver(storedPolicy(storage.provider, context));
  return escalationGuard({ resolverFor, authorizer, logger: logger.named('rbac') });
}

/** Reads the stored policy directly, bypassing the authorizer's view. */
function storedPolicy(provider: StorageProvider, context: VerbContext): PolicyReader {
  return {
    role: (namespace, name) => read(provider, roleDeclaration, { context, namespace, name }),
    clusterRole: (name) => read(provider, clusterRoleDeclaration, { context, namespace: '', name }),
    roleBindings: (namespace) => list(provider, roleBindingDeclaration, namespace),
    clusterRoleBindings: () => list(provider, clusterRoleBindingDeclaration, ''),
  };
}

async function read<T extends KubeObject>(
  provider: StorageProvider,
  definition: ResourceDefinition<T>,
  { context, namespace, name }: { readonly context: VerbContext; readonly namespace: string; readonly name: string },
): Promise<T> {
  try {
    const stored = await provider.storageFor(definition).get(namespace === '' ? name : `${namespace}/${name}`, {});
    return stored.object;
  } catch (error) {
    throw interpretError(error, groupResourceOf({ definition }, context), name);
  }
}

async function list<T extends KubeObject>(
  provider: StorageProvider,
  definition: ResourceDefinition<T>,
  namespace: string,
): Promise<readonly T[]> {
  const { items } = await provider.storageFor(definition).list(namespace === '' ? '' : `${namespace}/`, {
    labelSelector: everythingSelector,
    fieldSelector: everythingFieldSelector,
  });
  return Array.fromAsync(loadedObjects(items));
}
