import { wellKnownGroups } from '@apiserver/apiserver-contracts';
import type { ClusterRole, ClusterRoleBinding } from '../policy-objects.js';
import { componentRoles, TRUST_BUNDLE_DISCOVERY } from './component-roles.js';
import { controllerRules } from './controller-roles.js';
import {
  aggregatedClusterRole,
  clusterRole,
  clusterRoleBinding,
  group,
  serviceAccount,
  user,
} from './policy-builders.js';
import type { PolicyFeatures } from './policy-features.js';
import { CORE, pathRule, rule } from './rule-notation.js';
import { adminRules, editRules, viewRules } from './user-facing-roles.js';

const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-';
const TO_ADMIN = `${AGGREGATE}admin`;
const TO_EDIT = `${AGGREGATE}edit`;
const TO_VIEW = `${AGGREGATE}view`;

/** Roles for users, and roles that every user has. */
function generalRoles({ flagz = true, statusz = true }: PolicyFeatures): ClusterRole[] {
  return [
    clusterRole('cluster-admin', [rule('*', '*', '*'), pathRule('*', '*')]),
    clusterRole('system:discovery', [
      pathRule('get', '/livez /readyz /healthz /version /version/ /openapi /openapi/* /api /api/* /apis /apis/*'),
    ]),
    clusterRole('system:monitoring', [
      pathRule('get', '/metrics /metrics/slis /livez /readyz /healthz /livez/* /readyz/* /healthz/*'),
      rule('get', CORE, 'nodes/metrics'),
      // Rules of their own: each belongs to a feature gate.
      ...(flagz ? [pathRule('get', '/flagz')] : []),
      ...(statusz ? [pathRule('get', '/statusz')] : []),
    ]),
    clusterRole('system:basic-user', [
      rule('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      rule('create', 'authentication.k8s.io', 'selfsubjectreviews'),
    ]),
    clusterRole('system:public-info-viewer', [pathRule('get', '/livez /readyz /healthz /version /version/')]),
    aggregatedClusterRole('admin', TO_ADMIN),
    aggregatedClusterRole('edit', TO_EDIT, { [TO_ADMIN]: 'true' }),
    aggregatedClusterRole('view', TO_VIEW, { [TO_EDIT]: 'true' }),
    clusterRole('system:aggregate-to-admin', adminRules, { [TO_ADMIN]: 'true' }),
    clusterRole('system:aggregate-to-edit', editRules, { [TO_EDIT]: 'true' }),
    clusterRole('system:aggregate-to-view', viewRules, { [TO_VIEW]: 'true' }),
  ];
}

function controllerRoleName(controller: string): string {
  return `system:controller:${controller}`;
}

/** All ClusterRoles to create at start, those of controllers last. */
export function bootstrapClusterRoles(features: PolicyFeatures): ClusterRole[] {
  const components = Object.entries(componentRoles(features)).map(([name, rules]) => clusterRole(name, rules));
  const controllers = Object.entries(controllerRules(features)).map(([name, rules]) =>
    clusterRole(controllerRoleName(name), rules),
  );
  return [...generalRoles(features), ...components, ...controllers];
}

/** All ClusterRoleBindings to create at start, those of controllers last. */
export function bootstrapClusterRoleBindings(features: PolicyFeatures): ClusterRoleBinding[] {
  const everybody = group(wellKnownGroups.authenticated);
  return [
    clusterRoleBinding('cluster-admin', group(wellKnownGroups.privileged)),
    clusterRoleBinding('system:monitoring', group('system:monitoring')),
    clusterRoleBinding('system:discovery', everybody),
    clusterRoleBinding('system:basic-user', everybody),
    clusterRoleBinding('system:public-info-viewer', everybody, group(wellKnownGroups.unauthenticated)),
    clusterRoleBinding('system:node-proxier', user('system:kube-proxy')),
    clusterRoleBinding('system:kube-controller-manager', user('system:kube-controller-manager')),
    clusterRoleBinding('system:kube-dns', serviceAccount('kube-dns')),
    clusterRoleBinding('system:kube-scheduler', user('system:kube-scheduler')),
    clusterRoleBinding('system:volume-scheduler', user('system:kube-scheduler')),
    clusterRoleBinding('system:node'),
    clusterRoleBinding('system:service-account-issuer-discovery', group(wellKnownGroups.serviceAccounts)),
    ...(features.clusterTrustBundle
      ? [clusterRoleBinding(TRUST_BUNDLE_DISCOVERY, group(wellKnownGroups.serviceAccounts))]
      : []),
    ...Object.keys(controllerRules(features)).map((name) =>
      clusterRoleBinding(controllerRoleName(name), serviceAccount(name)),
    ),
  ];
}
