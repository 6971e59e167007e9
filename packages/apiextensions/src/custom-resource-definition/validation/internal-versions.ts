import type { CustomResourceDefinitionVersion } from '@apiserver/api/apiextensions/v1';

/**
 * Versions in upstream's internal form, as its messages show them. Settings common to all versions are beside them;
 * settings of a single version below that keep the form sent.
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
