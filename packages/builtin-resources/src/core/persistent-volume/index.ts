import { PersistentVolume } from '@apiserver/api/core/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import { persistentVolumeColumns } from './columns.js';
import { applyPersistentVolumeDefaults } from './defaults.js';
import { persistentVolumeStrategies } from './strategy.js';

/** PersistentVolumes: the storage of a cluster. Upstream: pkg/registry/core/persistentvolume */
export function persistentVolumes(clock: WallClock, features: FeatureGates): ResourceDefinition<PersistentVolume> {
  const { main, status } = persistentVolumeStrategies(clock, features);
  return defineResource<PersistentVolume>({
    shortNames: ['pv'],
    versions: [{ schema: PersistentVolume, applyDefaults: applyPersistentVolumeDefaults }],
    strategy: main,
    columns: persistentVolumeColumns,
    subresources: { status: { strategy: status } },
    returnDeletedObject: true,
  });
}
