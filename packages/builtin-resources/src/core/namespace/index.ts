import { Namespace } from '@apiserver/api/core/v1';
import { ALL_VERBS, defineResource } from '@apiserver/resource-kit';
import { namespaceColumns } from './columns.js';
import { applyNamespaceDefaults } from './defaults.js';
import { deleteNamespace } from './delete.js';
import { namespaceFinalizeStrategy, namespaceStatusStrategy, namespaceStrategy } from './strategy.js';

/** Namespaces: the scope of most other objects. Upstream: pkg/registry/core/namespace */
export const namespaces = defineResource<Namespace>({
  shortNames: ['ns'],
  versions: [{ schema: Namespace, applyDefaults: applyNamespaceDefaults }],
  verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
  strategy: namespaceStrategy,
  columns: namespaceColumns,
  subresources: {
    finalize: { strategy: namespaceFinalizeStrategy, verbs: ['update'], columns: [] },
    status: { strategy: namespaceStatusStrategy },
  },
  selectableFieldNames: ['status.phase'],
  selectableFields: ({ status }) => ({ 'status.phase': status.phase ?? '' }),
  returnDeletedObject: true,
  documentsDeletedObject: false,
  storeHooks: {
    shouldDeleteDuringUpdate: ({ spec }) => (spec.finalizers ?? []).length === 0,
    override: (generic) => ({ delete: deleteNamespace(generic) }),
  },
});
