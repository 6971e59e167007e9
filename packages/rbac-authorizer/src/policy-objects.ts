import type * as rbacV1 from '@apiserver/api/rbac/v1';
import type { DeepReadonly, GroupResource, GroupVersionResource } from '@apiserver/apimachinery';
import { cloneJson } from '@apiserver/apimachinery/json';

// Of rbac/v1, read-only all the way down: the index and the default policy are shared by all requests.

export type ClusterRole = DeepReadonly<rbacV1.ClusterRole>;
export type ClusterRoleBinding = DeepReadonly<rbacV1.ClusterRoleBinding>;
export type PolicyRule = DeepReadonly<rbacV1.PolicyRule>;
export type Role = DeepReadonly<rbacV1.Role>;
export type RoleBinding = DeepReadonly<rbacV1.RoleBinding>;
export type RoleRef = DeepReadonly<rbacV1.RoleRef>;
export type Subject = DeepReadonly<rbacV1.Subject>;

/** The API group of all that is here. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** A resource of the group, or the singular that informers name in a 404. */
export function rbacResource(resource: string): GroupResource {
  return { group: RBAC_GROUP, resource };
}

/** A resource of rbac/v1, as a LoopbackClient wants it. */
export function rbacV1Resource(resource: string): GroupVersionResource {
  return { group: RBAC_GROUP, version: 'v1', resource };
}

/** A copy that may be changed and handed to a client. */
export function mutableCopy<T>(value: DeepReadonly<T>): T {
  return cloneJson(value) as T;
}
