import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { Subject } from '../policy-objects.js';

/** Whom a subject means: the user or the group of that name. */
export interface SubjectKey {
  readonly kind: 'user' | 'group';
  readonly name: string;
}

/**
 * Whom the subject of a binding means; undefined when it can mean nobody (an unknown kind, a service account without a
 * namespace in a ClusterRoleBinding). A service account is the user that its tokens prove.
 * `bindingNamespace` is "" for a ClusterRoleBinding; a service account without a namespace is meant there.
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

/** Whether the key means this user, by name or by group. */
export function keyMatches(key: SubjectKey, user: UserInfo): boolean {
  return key.kind === 'user' ? key.name === user.name : user.groups.includes(key.name);
}

/** The index of the first subject that means the user; -1 when none does. */
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
