const RBAC = 'rbac.authorization.k8s.io';
const RBAC_PATH = `/apis/${RBAC}/v1`;

export const paths = {
  clusterRoles: `${RBAC_PATH}/clusterroles`,
  clusterRoleBindings: `${RBAC_PATH}/clusterrolebindings`,
  namespaces: '/api/v1/namespaces',
  nodes: '/api/v1/nodes',
  in: (namespace: string, resource: string) => `/api/v1/namespaces/${namespace}/${resource}`,
  inGroup: (group: string, namespace: string, resource: string) =>
    `/apis/${group}/v1/namespaces/${namespace}/${resource}`,
};

/** An object of the core group. */
export function core(kind: string, name: string, more: object = {}): object {
  return object('v1', kind, name, more);
}

export function object(apiVersion: string, kind: string, name: string, more: object = {}): object {
  return { apiVersion, kind, metadata: { name }, ...more };
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

export function role(kind: 'Role' | 'ClusterRole', name: string, ...rules: readonly Rule[]): object {
  return object(`${RBAC}/v1`, kind, name, { rules });
}

export function binding(
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  name: string,
  roleName: string,
  subject: { readonly kind: 'User' | 'Group'; readonly name: string },
): object {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: roleName };
  return object(`${RBAC}/v1`, kind, name, { roleRef, subjects: [{ apiGroup: RBAC, ...subject }] });
}

/** A pod that nothing starts and no service account is mounted into. */
export function pod(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false, ...spec },
  };
}
