import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';

/** Built-in resources whose objects are where custom resources of their names would be. */
const BUILT_IN: readonly string[] = [
  'apiservices.apiregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
];

/**
 * True if the objects of a definition would be those of a built-in resource. They are neither served nor deleted.
 * Upstream: OverlappingBuiltInResources of pkg/controller/finalizer/crd_finalizer.go
 */
export function overlapsBuiltInStorage({ spec }: Pick<CustomResourceDefinition, 'spec'>): boolean {
  return BUILT_IN.includes(`${spec.names.plural}.${spec.group}`);
}
