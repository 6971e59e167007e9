import { PersistentVolume } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { persistentVolumeColumns } from './columns.js';
import { applyPersistentVolumeDefaults } from './defaults.js';
import { persistentVolumeStrategies } from './strategy.js';

const { main, status } = /* @__PURE__ */ persistentVolumeStrategies({ now: () => Date.now() });

/** PersistentVolumes: the storage of a cluster. Upstream: pkg/registry/core/persistentvolume */
export const persistentVolumes = defineResource<PersistentVolume>({
  shortNames: ['pv'],
  versions: [{ schema: PersistentVolume, applyDefaults: applyPersistentVolumeDefaults }],
  strategy: main,
  columns: persistentVolumeColumns,
  subresources: { status: { strategy: status } },
  returnDeletedObject: true,
});
