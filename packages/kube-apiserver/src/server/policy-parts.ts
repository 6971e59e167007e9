import type { KubeObject } from '@apiserver/apimachinery';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import type { AnyResourceDefinition, ResourceDefinition } from '@apiserver/apiserver-contracts';
import {
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  withEscalationCheck,
} from '@apiserver/builtin-resources';
import type { PostStartHookContext } from '@apiserver/generic-server';
import {
  bootstrapRolesHook,
  type EscalationGuard,
  escalationGuard,
  listedRuleResolver,
  type PolicyReader,
  runClusterRoleAggregation,
} from '@apiserver/rbac-authorizer';
import { interpretError, type StorageProvider } from '@apiserver/registry-store';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';

/** What roles and bindings need of one server. */
export interface PolicyParts {
  /** The definition to install in the place of one of the built-in ones. */
  definitionFor(definition: AnyResourceDefinition): AnyResourceDefinition;
  readonly hookName: string;
  /** Makes the roles that every cluster has. When the server is ready, aggregated ones begin to be filled. */
  runHook(context: PostStartHookContext): Promise<void>;
}

/** Makes the parts; nothing is read before the first role is written or the hook runs. */
export function createPolicyParts(config: CompletedKubeApiServerConfig): PolicyParts {
  const { generic, rbac } = config;
  const { provider } = config.storage;
  const { clock, signals } = generic;
  const logger = generic.logger.named('rbac');
  const resolver = listedRuleResolver(storedPolicy(provider));
  const guard = escalationGuard({ resolver, authorizer: generic.authorizer, logger });
  const hook = bootstrapRolesHook({ clock, logger });
  return {
    definitionFor: (definition) => guarded(definition, guard),
    hookName: hook.name,
    async runHook(context) {
      await hook.run(context);
      if (!context.signal.aborted) await rbac.synced(context.signal);
      const client = context.loopbackClient.resource<
        typeof clusterRoles extends ResourceDefinition<infer T> ? T : never
      >({ group: clusterRoles.group, version: clusterRoles.hubVersion, resource: clusterRoles.resource });
      const aggregation = { informer: rbac.clusterRoles, client, clock, logger };
      const aggregate = () => runClusterRoleAggregation(aggregation, context.signal);
      // Upstream it is kube-controller-manager that does it, so nobody who waits for /readyz waits for it.
      void signals.ready.signaled.then(aggregate).catch((error: unknown) => {
        if (!context.signal.aborted) logger.error(error, 'Aggregation of cluster roles ended');
      });
    },
  };
}

function guarded(definition: AnyResourceDefinition, guard: EscalationGuard): AnyResourceDefinition {
  switch (definition) {
    case roles:
      return withEscalationCheck(roles, guard.checkRole);
    case clusterRoles:
      return withEscalationCheck(clusterRoles, guard.checkClusterRole);
    case roleBindings:
      return withEscalationCheck(roleBindings, guard.checkRoleBinding);
    case clusterRoleBindings:
      return withEscalationCheck(clusterRoleBindings, guard.checkClusterRoleBinding);
    default:
      return definition;
  }
}

/** Reads what is stored now, past the view that the authorizer has. */
function storedPolicy(provider: StorageProvider): PolicyReader {
  return {
    role: (namespace, name) => read(provider, roles, namespace, name),
    clusterRole: (name) => read(provider, clusterRoles, '', name),
    roleBindings: (namespace) => list(provider, roleBindings, namespace),
    clusterRoleBindings: () => list(provider, clusterRoleBindings, ''),
  };
}

async function read<T extends KubeObject>(
  provider: StorageProvider,
  definition: ResourceDefinition<T>,
  namespace: string,
  name: string,
): Promise<T> {
  try {
    const stored = await provider.storageFor(definition).get(namespace === '' ? name : `${namespace}/${name}`, {});
    return stored.object;
  } catch (error) {
    throw interpretError(error, { group: definition.group, resource: definition.resource }, name);
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
  return items.map(({ object }) => object);
}
