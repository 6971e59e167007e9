import { FieldSet, fieldPathOf } from '@apiserver/apimachinery/structured-merge-diff';

const STRIPPED: FieldSet = FieldSet.of(
  fieldPathOf('apiVersion'),
  fieldPathOf('kind'),
  fieldPathOf('metadata'),
  fieldPathOf('metadata', 'name'),
  fieldPathOf('metadata', 'namespace'),
  fieldPathOf('metadata', 'creationTimestamp'),
  fieldPathOf('metadata', 'selfLink'),
  fieldPathOf('metadata', 'uid'),
  fieldPathOf('metadata', 'clusterName'),
  fieldPathOf('metadata', 'generation'),
  fieldPathOf('metadata', 'managedFields'),
  fieldPathOf('metadata', 'resourceVersion'),
);

/**
 * Removes the fields that are never managed, such as the name, from a set.
 *
 * Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/stripmeta.go
 */
export function stripMetadata(set: FieldSet): FieldSet {
  return set.difference(STRIPPED);
}
