import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { Subject } from '../policy-objects.js';

/** The user or group that a subject names. */
export interface SubjectKey {
  readonly kind: 'user' | 'group';
  readonly name: string;
}

/**
 * The user or group of a binding's subject. Undefined if it matches no user: an unknown kind, or a service account
 * without a namespace in a ClusterRoleBinding. A service account is the user of its tokens. `bindingNamespace` is ""
 * for a ClusterRoleBinding, otherwise the default namespace of service accounts.
 * Upstream: appliesToUser in pkg/registry/rbac/validation/rule.go
 */
export function subjectKey(subject: Subject, bindingNamespace: string): SubjectKey | undefined {
  switch (subject.kind) {
    case 'User':
      return { kind: 'user', name: subject.name };
    case 'Group':
      return { kind: 'group', name: subject.name };
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === ''
        ? undefined
        : { kind: 'user', name: `system:serviceaccount:${namespace}:${subject.name}` };
    }
    default:
      return undefined;
  }
}

/** Reports whether the key matches this user, by name or by group. */
function keyMatches(key: SubjectKey, user: UserInfo): boolean {
  return key.kind === 'user' ? key.name === user.name : user.groups.includes(key.name);
}

/** The index of the first subject that matches the user; -1 if none does. */
export function firstMatchingSubject(
  subjects: readonly Subject[] | undefined,
  bindingNamespace: string,
  user: UserInfo,
): number {
  return (subjects ?? []).findIndex((subject) => {
    const key = subjectKey(subject, bindingNamespace);
    return key !== undefined && keyMatches(key, user);
  });
}
