/** The path of all definitions. */
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * A namespaced kind with v1 as its only version; its plural is `kind` in lower case with an "s". `schema` has the
 * members of the schema beside its type.
 */
export function customResourceDefinition(group: string, kind: string, schema: object = {}, subresources?: object) {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', ...schema } },
          ...(subresources && { subresources }),
        },
      ],
    },
  };
}
