import type { Role, RoleBinding } from '../policy-objects.js';
import { role, roleBinding, serviceAccount, user } from './policy-builders.js';
import { CORE, READ, rule, WRITE_EVENTS } from './rule-notation.js';

const SYSTEM = 'kube-system';
const PUBLIC = 'kube-public';
const SIGNER = 'system:controller:bootstrap-signer';
const CLOUD_PROVIDER = 'system:controller:cloud-provider';
const TOKEN_CLEANER = 'system:controller:token-cleaner';
const AUTHENTICATION_READER = 'extension-apiserver-authentication-reader';
const CONTROLLER_MANAGER_LOCK = 'system::leader-locking-kube-controller-manager';
const SCHEDULER_LOCK = 'system::leader-locking-kube-scheduler';

const LEADER_LOCK = [
  rule('create get list update watch', 'coordination.k8s.io', 'leases'),
  rule('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
];

/**
 * All Roles to create at start.
 * Upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go
 */
export function bootstrapRoles(): Role[] {
  return [
    role(SYSTEM, AUTHENTICATION_READER, rule(READ, CORE, 'configmaps', 'extension-apiserver-authentication')),
    role(SYSTEM, SIGNER, rule(READ, CORE, 'secrets')),
    role(SYSTEM, CLOUD_PROVIDER, rule('create get list watch', CORE, 'configmaps')),
    role(SYSTEM, TOKEN_CLEANER, rule('get list watch delete', CORE, 'secrets'), WRITE_EVENTS),
    role(SYSTEM, CONTROLLER_MANAGER_LOCK, ...LEADER_LOCK),
    role(SYSTEM, SCHEDULER_LOCK, ...LEADER_LOCK),
    role(
      PUBLIC,
      SIGNER,
      rule(READ, CORE, 'configmaps'),
      rule('update', CORE, 'configmaps', 'cluster-info'),
      WRITE_EVENTS,
    ),
  ];
}

/** All RoleBindings to create at start. */
export function bootstrapRoleBindings(): RoleBinding[] {
  const controllerManager = user('system:kube-controller-manager');
  const scheduler = user('system:kube-scheduler');
  const signer = serviceAccount('bootstrap-signer');
  return [
    roleBinding(SYSTEM, `system::${AUTHENTICATION_READER}`, AUTHENTICATION_READER, [controllerManager, scheduler]),
    roleBinding(SYSTEM, CONTROLLER_MANAGER_LOCK, CONTROLLER_MANAGER_LOCK, [
      controllerManager,
      serviceAccount('kube-controller-manager'),
      serviceAccount('leader-election-controller'),
    ]),
    roleBinding(SYSTEM, SCHEDULER_LOCK, SCHEDULER_LOCK, [scheduler, serviceAccount('kube-scheduler')]),
    roleBinding(SYSTEM, SIGNER, SIGNER, [signer]),
    roleBinding(SYSTEM, CLOUD_PROVIDER, CLOUD_PROVIDER, [serviceAccount('cloud-provider')]),
    roleBinding(SYSTEM, TOKEN_CLEANER, TOKEN_CLEANER, [serviceAccount('token-cleaner')]),
    roleBinding(PUBLIC, SIGNER, SIGNER, [signer]),
  ];
}
