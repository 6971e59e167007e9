import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from '@apiserver/api/apiextensions/v1';
import { internalSchema } from './internal-schema.js';

/**
 * Versions in upstream's internal form, as its messages show them. Settings common to all versions are beside them.
 *
 * Upstream: CustomResourceDefinitionVersion of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/types.go
 */
export function internalVersions(
  versions: readonly CustomResourceDefinitionVersion[] | null,
  isShared: (name: keyof CustomResourceDefinitionVersion) => boolean,
): unknown {
  if (versions === null) return null;
  return versions.map((version) => {
    const { schema, subresources, additionalPrinterColumns: columns, selectableFields: fields } = version;
    const own = <T>(name: keyof CustomResourceDefinitionVersion, value: T | undefined) =>
      isShared(name) || value === undefined ? null : value;
    return {
      Name: version.name,
      Served: version.served,
      Storage: version.storage,
      Deprecated: version.deprecated ?? false,
      DeprecationWarning: version.deprecationWarning ?? null,
      Schema: own('schema', schema && internalValidation(schema)),
      Subresources: own('subresources', subresources && internalSubresources(subresources)),
      AdditionalPrinterColumns: own('additionalPrinterColumns', columns?.map(internalColumn)),
      SelectableFields: own(
        'selectableFields',
        fields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })),
      ),
    };
  });
}

function internalValidation({ openAPIV3Schema: props }: NonNullable<CustomResourceDefinitionVersion['schema']>) {
  return { OpenAPIV3Schema: props === undefined ? null : internalSchema(props) };
}

function internalSubresources({ status, scale }: CustomResourceSubresources) {
  const paths = scale && {
    SpecReplicasPath: scale.specReplicasPath,
    StatusReplicasPath: scale.statusReplicasPath,
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
  return { Status: status ?? null, Scale: paths ?? null };
}

function internalColumn(column: CustomResourceColumnDefinition) {
  return {
    Name: column.name,
    Type: column.type,
    Format: column.format ?? '',
    Description: column.description ?? '',
    Priority: column.priority ?? 0,
    JSONPath: column.jsonPath,
  };
}
