/** The API group of roles, and of users and groups in bindings. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';
