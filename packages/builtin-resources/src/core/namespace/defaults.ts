import type { Namespace } from '@apiserver/api/core/v1';

/** By this label a selector picks a namespace by name. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * Sets the phase, and the label that carries the name. A namespace whose name is yet to be generated has none; it gets its label when
 * it is canonicalized. Mutates.
 * Upstream: SetDefaults_Namespace and SetDefaults_NamespaceStatus of pkg/apis/core/v1/defaults.go
 */
export function applyNamespaceDefaults(namespace: Namespace): void {
  namespace.status.phase ||= 'Active';
  if (namespace.metadata.name) labelWithName(namespace);
}

/** Sets the label, whatever it said before. Mutates. */
export function labelWithName(namespace: Namespace): void {
  const { metadata } = namespace;
  const name = metadata.name ?? '';
  if (metadata.labels?.[NAME_LABEL] !== name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: name };
}
