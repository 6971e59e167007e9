import {
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  RBAC_GROUP,
  type Role,
  type RoleBinding,
  type Subject,
} from '../policy-objects.js';

const API_VERSION = `${RBAC_GROUP}/v1`;

/** "true" if the server reconciles the object; "false" leaves it to its administrator. */
export const AUTO_UPDATE_ANNOTATION = 'rbac.authorization.kubernetes.io/autoupdate';

const BOOTSTRAPPING_LABEL = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

type Labels = Readonly<Record<string, string>>;

function metadata(name: string, namespace?: string, labels: Labels = {}) {
  return {
    name,
    ...(namespace === undefined ? undefined : { namespace }),
    labels: { ...BOOTSTRAPPING_LABEL, ...labels },
    annotations: { [AUTO_UPDATE_ANNOTATION]: 'true' },
  };
}

export function clusterRole(name: string, rules: readonly PolicyRule[], labels: Labels = {}): ClusterRole {
  return { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: metadata(name, undefined, labels), rules };
}

/** A role that aggregates all roles with that label. */
export function aggregatedClusterRole(name: string, gathers: string, labels: Labels = {}): ClusterRole {
  const clusterRoleSelectors = [{ matchLabels: { [gathers]: 'true' } }];
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata: metadata(name, undefined, labels),
    rules: null,
    aggregationRule: { clusterRoleSelectors },
  };
}

/** Binds the ClusterRole of the same name. Without subjects, it is for administrators to fill. */
export function clusterRoleBinding(name: string, ...subjects: readonly Subject[]): ClusterRoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name),
    ...(subjects.length === 0 ? undefined : { subjects }),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
  };
}

/** A Role of the default policy. */
export function role(namespace: string, name: string, ...rules: readonly PolicyRule[]): Role {
  return { apiVersion: API_VERSION, kind: 'Role', metadata: metadata(name, namespace), rules };
}

/** Binds the Role `roleName` of the namespace. */
export function roleBinding(
  namespace: string,
  name: string,
  roleName: string,
  subjects: readonly Subject[],
): RoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: 'RoleBinding',
    metadata: metadata(name, namespace),
    subjects,
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: roleName },
  };
}

/** A subject of the kind User. */
export function user(name: string): Subject {
  return { kind: 'User', apiGroup: RBAC_GROUP, name };
}

/** A subject of the kind Group. */
export function group(name: string): Subject {
  return { kind: 'Group', apiGroup: RBAC_GROUP, name };
}

/** A service account in kube-system. */
export function serviceAccount(name: string): Subject {
  return { kind: 'ServiceAccount', name, namespace: 'kube-system' };
}
