import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { formatGroupVersion, type GroupVersionKind } from '@apiserver/apimachinery';
import { once } from '@apiserver/apimachinery/lazy';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { customKind } from '../schema/custom-kind.js';

/**
 * Returns the schema that decodes a body, by the kind that it states, whatever the endpoint. `defined` has the schemas
 * of all versions, by apiVersion. A version that is not defined has metadata only; another kind keeps all its fields.
 *
 * Upstream: unstructuredSchemaCoercer of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export function bodySchemas(
  { spec }: CustomResourceDefinition,
  defined: ReadonlyMap<string, KindSchema>,
): (kind: GroupVersionKind) => KindSchema {
  const { group, names } = spec;
  const undefinedVersion = once(() => metadataOnly(spec, spec.preserveUnknownFields === true));
  const otherKind = once(() => metadataOnly(spec, true));
  return (kind) => {
    if (kind.group !== group || kind.kind !== names.kind) return otherKind();
    return defined.get(formatGroupVersion(kind)) ?? undefinedVersion();
  };
}

function metadataOnly(
  { group, names, scope }: CustomResourceDefinition['spec'],
  preserveUnknownFields: boolean,
): KindSchema {
  return customKind({
    gvk: { group, version: '', kind: names.kind },
    listKind: '',
    plural: names.plural,
    namespaced: scope === 'Namespaced',
    props: {},
    preserveUnknownFields,
    isStructural: () => true,
    selectableFieldNames: [],
  });
}
