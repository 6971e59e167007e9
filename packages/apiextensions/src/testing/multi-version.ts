import type { CustomResourceDefinition, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';

/** A resource with three versions: the content of v1beta2 has other names. As in upstream's tests of conversion. */
export const MULTI_VERSION = 'multiversion.stable.example.com';
export const VERSIONS = ['v1beta1', 'v1alpha1', 'v1beta2'] as const;

export type Conversion = NonNullable<CustomResourceDefinition['spec']['conversion']>;

/** The definition with one storage version, and a default in each version. */
export function multiVersion(storage: string, conversion: Conversion): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: MULTI_VERSION },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural: 'multiversion', singular: 'multiversion', kind: 'MultiVersion', listKind: 'MultiVersionList' },
      conversion,
      versions: VERSIONS.map((name) => ({
        name,
        served: true,
        storage: name === storage,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: { openAPIV3Schema: schemaOf(name) },
      })),
    },
    status: { acceptedNames: { plural: '', kind: '' } },
  };
}

function schemaOf(version: string): JSONSchemaProps {
  const object = (properties: Record<string, JSONSchemaProps>): JSONSchemaProps => ({ type: 'object', properties });
  const content = object({ key: { type: 'string' } });
  const num = object({ num1: { type: 'integer' }, num2: { type: 'integer' } });
  const flags = VERSIONS.map((name) => [name, { type: 'boolean', ...(name === version && { default: true }) }]);
  return object({
    ...(version === 'v1beta2' ? { contentv2: content, numv2: num } : { content, num }),
    defaults: object(Object.fromEntries(flags)),
    spec: object({ replicas: { type: 'integer' } }),
    status: object({ replicas: { type: 'integer' } }),
  });
}

/** An object in the form of a version. */
export function multiVersionObject(version: string, name: string, more: object = {}) {
  const content = { key: 'value' };
  const num = { num1: 1, num2: 1_000_000 };
  return {
    apiVersion: `stable.example.com/${version}`,
    kind: 'MultiVersion',
    metadata: { name, namespace: 'ns' },
    ...(version === 'v1beta2' ? { contentv2: content, numv2: num } : { content, num }),
    ...more,
  };
}

type Json = Record<string, unknown>;

/** Converts as the webhook of such a definition does. */
export function convertMultiVersion(object: Json, apiVersion: string): Json {
  const { content, num, contentv2, numv2, ...rest } = object;
  const isNew = apiVersion.endsWith('/v1beta2');
  const names = isNew ? ['contentv2', 'numv2'] : ['content', 'num'];
  const values = [content ?? contentv2, num ?? numv2];
  const members = names.map((name, i) => [name, values[i]] as const).filter(([, value]) => value !== undefined);
  return { ...rest, apiVersion, ...Object.fromEntries(members) };
}
