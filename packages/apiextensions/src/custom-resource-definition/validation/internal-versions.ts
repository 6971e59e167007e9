import type { CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';

/**
 * Versions as upstream's messages show them: in its internal form, where what all versions share stands beside them. What a
 * single version has of its own below that is shown as it was sent.
 *
 * Upstream: CustomResourceDefinitionVersion of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/types.go
 */
export function internalVersions(
  versions: readonly CustomResourceDefinitionVersion[] | null,
  isShared: (name: keyof CustomResourceDefinitionVersion) => boolean,
): unknown {
  if (versions === null) return null;
  return versions.map((version) => {
    const own = (name: keyof CustomResourceDefinitionVersion) => (isShared(name) ? null : (version[name] ?? null));
    return {
      Name: version.name,
      Served: version.served,
      Storage: version.storage,
      Deprecated: version.deprecated ?? false,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: own('schema'),
      Subresources: own('subresources'),
      AdditionalPrinterColumns: own('additionalPrinterColumns'),
      SelectableFields: own('selectableFields'),
    };
  });
}
