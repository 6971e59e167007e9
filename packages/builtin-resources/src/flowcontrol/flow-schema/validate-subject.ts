import type { ServiceAccountSubject, Subject } from '@apiserver/api/flowcontrol/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateNamespaceName, validateServiceAccountName } from '@apiserver/apimachinery/validation';
import { notSupported } from '../../validation/enum-field.js';

const KINDS = ['Group', 'ServiceAccount', 'User'];

/** The member of each kind, in the order in which upstream refuses the others. */
const MEMBERS = { serviceAccount: 'ServiceAccount', user: 'User', group: 'Group' } as const;

/** Upstream: ValidateFlowSchemaSubject of pkg/apis/flowcontrol/validation/validation.go */
export function validateSubject(subject: Subject, path: FieldPath): FieldError[] {
  const { kind } = subject;
  if (!KINDS.includes(kind)) return [notSupported(path.child('kind'), kind, KINDS)];
  return [...validateOwnMember(subject, path), ...refuseOtherMembers(subject, path)];
}

function validateOwnMember({ kind, serviceAccount, user, group }: Subject, path: FieldPath): FieldError[] {
  if (kind === 'ServiceAccount') return validateServiceAccount(serviceAccount, path.child('serviceAccount'));
  const member = kind === 'User' ? 'user' : 'group';
  const named = kind === 'User' ? user : group;
  if (named === undefined) return [fieldRequired(path.child(member), isRequired(member, kind))];
  return named.name === '' ? [fieldRequired(path.child(member).child('name'), '')] : [];
}

function validateServiceAccount(account: ServiceAccountSubject | undefined, path: FieldPath): FieldError[] {
  if (account === undefined) return [fieldRequired(path, isRequired('serviceAccount', 'ServiceAccount'))];
  const { name, namespace } = account;
  const namePath = path.child('name');
  const namespacePath = path.child('namespace');
  const nameFaults = name === '*' ? [] : validateServiceAccountName(name);
  return [
    ...(name === ''
      ? [fieldRequired(namePath, '')]
      : nameFaults.map((message) => fieldInvalid(namePath, name, message))),
    ...(namespace === ''
      ? [fieldRequired(namespacePath, 'must specify namespace for service account')]
      : validateNamespaceName(namespace).map((message) => fieldInvalid(namespacePath, namespace, message))),
  ];
}

function refuseOtherMembers(subject: Subject, path: FieldPath): FieldError[] {
  const members = ['serviceAccount', 'user', 'group'] as const;
  return members
    .filter((member) => subject[member] !== undefined && MEMBERS[member] !== subject.kind)
    .map((member) =>
      fieldForbidden(path.child(member), `${member} is forbidden when subject kind is not '${MEMBERS[member]}'`),
    );
}

function isRequired(member: string, kind: string): string {
  return `${member} is required when subject kind is '${kind}'`;
}
