import type { KubeObject } from '@apiserver/apimachinery';

/** Metadata that expressions see of a namespace. */
const METADATA: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
]);

/**
 * The value of `namespaceObject`: a namespace without its kind, owners and field managers.
 * Upstream: CreateNamespaceObject of k8s.io/apiserver/pkg/admission/plugin/cel/condition.go
 */
export function namespaceObject(namespace: KubeObject): object {
  const { metadata, spec = {}, status = {} } = namespace;
  const entries = Object.entries(metadata).filter(([name]) => METADATA.has(name));
  return { metadata: Object.fromEntries(entries), spec, status };
}
