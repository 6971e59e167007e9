import type * as rbacV1 from '@apiserver/api/rbac/v1';
import type { DeepReadonly, GroupResource, GroupVersionResource } from '@apiserver/apimachinery';
import { cloneJson } from '@apiserver/apimachinery/json';

/** Types of rbac/v1, deeply read-only: all requests share the index and the default policy. */
export type ClusterRole = DeepReadonly<rbacV1.ClusterRole>;
export type ClusterRoleBinding = DeepReadonly<rbacV1.ClusterRoleBinding>;
export type PolicyRule = DeepReadonly<rbacV1.PolicyRule>;
export type Role = DeepReadonly<rbacV1.Role>;
export type RoleBinding = DeepReadonly<rbacV1.RoleBinding>;
export type RoleRef = DeepReadonly<rbacV1.RoleRef>;
export type Subject = DeepReadonly<rbacV1.Subject>;

/** The API group of roles and bindings. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** A resource of the group. Also takes the singular, which informers use in a 404. */
export function rbacResource(resource: string): GroupResource {
  return { group: RBAC_GROUP, resource };
}

/** A resource of rbac/v1, for a LoopbackClient. */
export function rbacV1Resource(resource: string): GroupVersionResource {
  return { group: RBAC_GROUP, version: 'v1', resource };
}

/** A mutable copy, for a client. */
export function mutableCopy<T>(value: DeepReadonly<T>): T {
  return cloneJson(value) as T;
}
