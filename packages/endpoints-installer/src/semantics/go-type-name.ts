import type { GroupKind, GroupVersionKind } from '@apiserver/apimachinery';

/**
 * The name of a kind's internal Go type in messages: `core.ConfigMap`. The package is the group's first label.
 *
 * Upstream: the packages below k8s.io/kubernetes/pkg/apis
 */
export function internalGoType({ group, kind }: GroupKind): string {
  return `${internalPackage(group)}.${kind}`;
}

/** The name of a kind's versioned Go type in messages: `v1.ConfigMap`. */
export function versionedGoType({ version, kind }: GroupVersionKind): string {
  return `${version}.${kind}`;
}

function internalPackage(group: string): string {
  if (group === '') return 'core';
  if (group === 'internal.apiserver.k8s.io') return 'apiserverinternal';
  return group.split('.', 1)[0] ?? group;
}
