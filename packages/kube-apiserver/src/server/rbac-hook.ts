import type { ClusterRole } from '@apiserver/api/rbac/v1';
import type { ControllerHook } from '@apiserver/controlplane';
import type { PostStartHookContext } from '@apiserver/generic-server';
import { bootstrapRolesHook, runClusterRoleAggregation } from '@apiserver/rbac-authorizer';
import type { CompletedKubeApiServerConfig } from '../config/kube-api-server-config.js';
import { policyFeatures } from '../features/policy-features.js';
import { afterReadiness } from './after-readiness.js';

const CLUSTER_ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };

/** Creates the roles of every cluster. The aggregation of roles starts when the server is ready. */
export function rbacHook({ generic, rbac, resources, hasPolicy }: CompletedKubeApiServerConfig): ControllerHook {
  const { clock, signals } = generic;
  const logger = generic.logger.named('rbac');
  const features = policyFeatures(resources.features);
  const bootstrapRoles = bootstrapRolesHook({ clock, logger, features });
  const aggregate = async ({ loopbackClient, signal }: PostStartHookContext) => {
    await afterReadiness(signals);
    const client = loopbackClient.resource<ClusterRole>(CLUSTER_ROLES);
    await runClusterRoleAggregation({ informer: rbac.clusterRoles, client, clock, logger }, signal);
  };
  return {
    name: bootstrapRoles.name,
    async run(context) {
      const { signal } = context;
      if (!hasPolicy) await bootstrapRoles.run(context);
      if (!signal.aborted) await rbac.synced(signal);
      // Upstream's kube-controller-manager does this, so /readyz does not wait for it.
      aggregate(context).catch((error: unknown) => {
        if (signal.aborted) return;
        logger.error(
          error,
          'The aggregation of cluster roles has failed, and is stopped until the server is started again',
        );
      });
    },
  };
}
