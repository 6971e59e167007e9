import { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { defaultColumns, defineResource } from '@apiserver/resource-kit';
import { applyDefinitionDefaults } from './defaults.js';
import { deleteDefinition } from './delete.js';
import { definitionStatusStrategy, definitionStrategy } from './strategy.js';
import { definitionV1beta1 } from './v1beta1-form.js';

/** The resource of CustomResourceDefinitions. */
export const customResourceDefinitions = defineResource<CustomResourceDefinition>({
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  versions: [{ schema: CustomResourceDefinition, applyDefaults: applyDefinitionDefaults }],
  otherVersions: [definitionV1beta1],
  storageVersion: definitionV1beta1.version,
  isJsonAtRest: true,
  keyPrefix: 'apiextensions.k8s.io/customresourcedefinitions',
  strategy: definitionStrategy(),
  columns: defaultColumns,
  emptyRowsAreNull: true,
  subresources: { status: { strategy: definitionStatusStrategy() } },
  storeHooks: { override: (generic) => ({ delete: deleteDefinition(generic) }) },
});
