import type { PodGroup } from '@apiserver/api/scheduling/v1alpha2';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { resetMetadataForStatus } from '@apiserver/resource-kit';
import { dropDisabledFields } from '../scheduling-fields.js';
import { applyPodGroupDefaults } from './defaults.js';
import { validatePodGroup, validatePodGroupStatusUpdate, validatePodGroupUpdate } from './validation.js';

/** Upstream: pkg/registry/scheduling/podgroup/strategy.go */
export const podGroupStrategy: Strategy<PodGroup> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, podGroup) {
    podGroup.status = {};
    dropDisabled(podGroup, undefined);
  },
  validate: (_context, podGroup) => validatePodGroup(podGroup),
  prepareForUpdate(_context, podGroup, old) {
    podGroup.status = cloneJson(old.status);
    dropDisabled(podGroup, old);
  },
  validateUpdate: (_context, podGroup, old) => validatePodGroupUpdate(podGroup, old),
};

/** Strategy of the status endpoint. */
export const podGroupStatusStrategy: Strategy<PodGroup> = {
  ...podGroupStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate(_context, podGroup, old) {
    podGroup.spec = cloneJson(old.spec);
    resetMetadataForStatus(podGroup, old);
    // Claims of groups belong to a disabled feature. Upstream: dropDisabledPodGroupStatusFields
    if (!old.spec.resourceClaims?.length) delete podGroup.status.resourceClaimStatuses;
  },
  validateUpdate: (_context, podGroup, old) => validatePodGroupStatusUpdate(podGroup, old),
};

/** A dropped mode has its default at once, as it would have when it is read. */
function dropDisabled(podGroup: PodGroup, old: PodGroup | undefined): void {
  dropDisabledFields(podGroup.spec, old?.spec);
  applyPodGroupDefaults(podGroup);
}
