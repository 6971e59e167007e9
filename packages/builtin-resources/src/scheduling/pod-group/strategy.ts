import type { PodGroup } from '@apiserver/api/scheduling/v1alpha2';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { restoreForStatus } from '@apiserver/resource-kit';
import { disabledFieldsDropper, type GroupFeatures } from '../scheduling-fields.js';
import { applyPodGroupDefaults } from './defaults.js';
import { validatePodGroup, validatePodGroupStatusUpdate, validatePodGroupUpdate } from './validation.js';

/** Upstream: pkg/registry/scheduling/podgroup/strategy.go */
export function podGroupStrategy(features: GroupFeatures): Strategy<PodGroup> {
  const dropDisabledFields = disabledFieldsDropper(features);
  // A dropped mode has its default at once, as it would have when it is read.
  const dropDisabled = (podGroup: PodGroup, old: PodGroup | undefined) => {
    dropDisabledFields(podGroup.spec, old?.spec);
    applyPodGroupDefaults(podGroup);
  };
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, podGroup) {
      podGroup.status = {};
      dropDisabled(podGroup, undefined);
    },
    validate: (_context, podGroup) => validatePodGroup(podGroup, features),
    prepareForUpdate(_context, podGroup, old) {
      podGroup.status = cloneJson(old.status);
      dropDisabled(podGroup, old);
    },
    validateUpdate: (_context, podGroup, old) => validatePodGroupUpdate(podGroup, old, features),
  };
}

/** Strategy of the status endpoint. `main` is that of the main endpoint. */
export function podGroupStatusStrategy(main: Strategy<PodGroup>): Strategy<PodGroup> {
  return {
    ...main,
    resetFields: ['metadata', 'spec'],
    prepareForUpdate(_context, podGroup, old) {
      restoreForStatus(podGroup, old);
      // Claims of groups belong to a disabled feature. Upstream: dropDisabledPodGroupStatusFields
      if (!old.spec.resourceClaims?.length) delete podGroup.status.resourceClaimStatuses;
    },
    validateUpdate: (_context, podGroup, old) => validatePodGroupStatusUpdate(podGroup, old),
  };
}
