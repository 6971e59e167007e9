import type { RoleRef, Subject } from '@apiserver/api/rbac/v1';
import { RBAC_GROUP } from './rbac-group.js';

/** Common fields of both kinds of bindings. */
interface Binding {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

/** Sets the API group of the role, and of users and groups. Mutates. Upstream: pkg/apis/rbac/v1/defaults.go */
export function applyBindingDefaults({ roleRef, subjects = [] }: Binding): void {
  roleRef.apiGroup ||= RBAC_GROUP;
  for (const subject of subjects) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP;
  }
}
