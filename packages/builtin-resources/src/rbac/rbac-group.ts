/** The API group of roles, and of the users and groups that bindings name. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';
