import type { RoleRef, Subject } from '@apiserver/api/rbac/v1';
import { RBAC_GROUP } from './rbac-group.js';

/** What the two kinds of bindings have in common. */
interface Binding {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

/** Fills in the API group of the role, and of users and groups. Mutates. Upstream: pkg/apis/rbac/v1/defaults.go */
export function applyBindingDefaults({ roleRef, subjects = [] }: Binding): void {
  roleRef.apiGroup ||= RBAC_GROUP;
  for (const subject of subjects) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP;
  }
}
