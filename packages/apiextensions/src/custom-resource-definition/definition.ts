import { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { defaultColumns, defineResource } from '@apiserver/builtin-resources';
import { applyDefinitionDefaults } from './defaults.js';
import { deleteDefinition } from './delete.js';
import { definitionStatusStrategy, definitionStrategy } from './strategy.js';

/** CustomResourceDefinitions: kinds that are made by creating an object. */
export const customResourceDefinitions = defineResource<CustomResourceDefinition>({
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  versions: [{ schema: CustomResourceDefinition, applyDefaults: applyDefinitionDefaults }],
  keyPrefix: 'apiextensions.k8s.io/customresourcedefinitions',
  strategy: definitionStrategy(),
  columns: defaultColumns,
  subresources: { status: { strategy: definitionStatusStrategy() } },
  storeHooks: { override: (generic) => ({ delete: deleteDefinition(generic) }) },
});
