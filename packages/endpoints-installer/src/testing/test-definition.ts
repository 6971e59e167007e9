import { ConfigMap } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { AnyResourceDefinition, Strategy } from '@apiserver/apiserver-contracts';

const strategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: () => [],
  validateUpdate: () => [],
};

/** A definition of ConfigMaps for tests of endpoints, with `overrides`. */
export function testDefinition(overrides: Partial<AnyResourceDefinition> = {}): AnyResourceDefinition {
  return {
    group: '',
    kind: 'ConfigMap',
    listKind: 'ConfigMapList',
    resource: 'configmaps',
    singular: 'configmap',
    shortNames: ['cm'],
    categories: [],
    scope: 'Namespaced',
    versions: [{ version: 'v1', schema: ConfigMap }],
    hubVersion: 'v1',
    storageVersion: 'v1',
    keyPrefix: 'configmaps',
    strategy,
    columns: [
      {
        name: 'Name',
        type: 'string',
        format: 'name',
        description: '',
        priority: 0,
        describedBy: { definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field: 'name' },
        cell: ({ metadata }) => metadata.name ?? '',
      },
      {
        name: 'Data',
        type: 'string',
        format: '',
        description: 'How much <data>',
        priority: 0,
        cell: ({ data }) => Object.keys(data ?? {}).length,
      },
    ],
    subresources: {},
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
    selectableFieldNames: [],
    returnDeletedObject: false,
    ...overrides,
  };
}

/** The codec of the objects of `testDefinition`. */
export function testCodec() {
  return compileKind(ConfigMap);
}
