import { quote } from '@apiserver/apimachinery/text';
import type { ClusterRoleBinding, RoleBinding, Subject } from '../policy-objects.js';

/** A binding, and its subject that matched. */
export class BindingMatch {
  readonly binding: ClusterRoleBinding | RoleBinding;
  readonly subjectIndex: number;
  /** Name of the binding. */
  readonly name: string;
  /** Lazily formatted: most matches never need it, some need it on every request. */
  #description: string | undefined;

  constructor(binding: ClusterRoleBinding | RoleBinding, subjectIndex: number) {
    this.binding = binding;
    this.subjectIndex = subjectIndex;
    this.name = binding.metadata.name ?? '';
  }

  /** "" for a ClusterRoleBinding. */
  get namespace(): string {
    return this.binding.metadata.namespace ?? '';
  }

  /**
   * The text that an allowed request gives as its reason.
   * Upstream: clusterRoleBindingDescriber, roleBindingDescriber in pkg/registry/rbac/validation/rule.go
   */
  toString(): string {
    this.#description ??= describe(this);
    return this.#description;
  }
}

function describe({ binding, name, namespace, subjectIndex }: BindingMatch): string {
  const { kind, name: roleName } = binding.roleRef;
  const source =
    namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  const subject = binding.subjects?.[subjectIndex];
  return `${source} of ${kind} ${quote(roleName)} to ${subject === undefined ? '' : describeSubject(subject, namespace)}`;
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  const shown = kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name;
  return `${kind} ${quote(shown)}`;
}
