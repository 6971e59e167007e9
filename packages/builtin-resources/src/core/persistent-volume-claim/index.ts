import { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { persistentVolumeClaimColumns } from './columns.js';
import { lacksDataSource, normalizeDataSources } from './data-sources.js';
import { applyPersistentVolumeClaimDefaults } from './defaults.js';
import { persistentVolumeClaimStatusStrategy, persistentVolumeClaimStrategy } from './strategy.js';

/** PersistentVolumeClaims: requests of pods for storage. Upstream: pkg/registry/core/persistentvolumeclaim */
export function persistentVolumeClaims(features: FeatureGates): ResourceDefinition<PersistentVolumeClaim> {
  const strategy = persistentVolumeClaimStrategy(features);
  return defineResource<PersistentVolumeClaim>({
    shortNames: ['pvc'],
    versions: [{ schema: PersistentVolumeClaim, applyDefaults: applyPersistentVolumeClaimDefaults }],
    strategy,
    columns: persistentVolumeClaimColumns,
    subresources: { status: { strategy: persistentVolumeClaimStatusStrategy(strategy) } },
    returnDeletedObject: true,
    storeHooks: {
      // Claims stored before there were two fields show both.
      decorate(claim) {
        if (!lacksDataSource(claim.spec)) return claim;
        const shown = cloneJson(claim);
        normalizeDataSources(shown.spec);
        return shown;
      },
    },
  });
}
