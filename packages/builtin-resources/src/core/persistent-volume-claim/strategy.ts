import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { dropUnknownDataSources, normalizeDataSources } from './data-sources.js';
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatusUpdate,
  validatePersistentVolumeClaimUpdate,
} from './validation.js';
import { persistentVolumeClaimWarnings } from './warnings.js';

/** Upstream: pkg/registry/core/persistentvolumeclaim/strategy.go */
export function persistentVolumeClaimStrategy(features: FeatureGates): Strategy<PersistentVolumeClaim> {
  const crossesNamespaces = features.enabled('CrossNamespaceVolumeDataSource');
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, claim) {
      claim.status = { phase: 'Pending' };
      dropUnknownDataSources(crossesNamespaces, claim.spec);
      normalizeDataSources(claim.spec);
    },
    validate: (_context, claim) => validatePersistentVolumeClaim(claim),
    warningsOnCreate: (_context, claim) => persistentVolumeClaimWarnings(claim),
    prepareForUpdate(_context, claim, old) {
      claim.status = cloneJson(old.status);
      dropUnknownDataSources(crossesNamespaces, claim.spec, old.spec);
      // An older client omits the field that it does not know.
      normalizeDataSources(claim.spec);
    },
    validateUpdate: (_context, claim, old) => validatePersistentVolumeClaimUpdate(claim, old),
    warningsOnUpdate: (_context, claim) => persistentVolumeClaimWarnings(claim),
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function persistentVolumeClaimStatusStrategy(
  main: Strategy<PersistentVolumeClaim>,
): Strategy<PersistentVolumeClaim> {
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, claim, old) {
      claim.spec = cloneJson(old.spec);
    },
    validateUpdate: (_context, claim, old) => validatePersistentVolumeClaimStatusUpdate(claim, old),
    warningsOnUpdate: () => [],
  };
}
