import type { Namespace } from '@apiserver/api/core/v1';

/** The label by which selectors select a namespace by name. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * Sets the phase, and the label with the name. If the name is still to be generated, canonicalization sets the label.
 * Mutates.
 * Upstream: SetDefaults_Namespace and SetDefaults_NamespaceStatus of pkg/apis/core/v1/defaults.go
 */
export function applyNamespaceDefaults(namespace: Namespace): void {
  namespace.status.phase ||= 'Active';
  if (namespace.metadata.name) labelWithName(namespace);
}

/** Sets the label, overwriting any value. Mutates. */
export function labelWithName(namespace: Namespace): void {
  const { metadata } = namespace;
  const name = metadata.name ?? '';
  if (metadata.labels?.[NAME_LABEL] !== name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: name };
}
