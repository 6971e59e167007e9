import type { LimitRange, PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { isResource, PODS } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import { applyLimitDefaults } from './limit-defaults.js';
import { claimLimitFaults, podLimitFaults } from './limit-faults.js';

const LIMIT_RANGES = { group: '', version: 'v1', resource: 'limitranges' };
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };

/**
 * Sets the defaults of the namespace's limit ranges on containers, and holds pods and claims to their bounds. The
 * informer is never behind a limit range whose creation was acknowledged, so there is no live lookup.
 * Upstream: plugin/pkg/admission/limitranger
 */
export function limitRanger({ informer }: Pick<AdmissionPluginDependencies, 'informer'>): AdmissionPlugin {
  const limitRanges = informer<LimitRange>(LIMIT_RANGES);
  const view = new ViewReadiness(limitRanges);
  const rangesFor = async (attributes: AdmissionAttributes): Promise<readonly LimitRange[]> => {
    if (attributes.oldObject?.metadata.deletionTimestamp) return [];
    await view.ready(attributes);
    return limitRanges.list(attributes.namespace);
  };
  return {
    name: 'LimitRanger',
    handles: (operation, { resource, subresource }) => {
      if (isResource(resource, CLAIMS)) return subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
      if (!isResource(resource, PODS)) return false;
      // The resources of an existing pod are changed only by a resize.
      return subresource === '' ? operation === 'CREATE' : subresource === 'resize' && operation === 'UPDATE';
    },
    async admit(attributes) {
      if (!isResource(attributes.resource, PODS)) return;
      const pod = admittedObject<Pod>(attributes);
      for (const limitRange of await rangesFor(attributes)) applyLimitDefaults(limitRange, pod);
    },
    async validate(attributes) {
      for (const limitRange of await rangesFor(attributes)) {
        const faults = isResource(attributes.resource, PODS)
          ? podLimitFaults(limitRange, admittedObject<Pod>(attributes).spec)
          : claimLimitFaults(limitRange, admittedObject<PersistentVolumeClaim>(attributes));
        if (faults.length > 0) throw newAdmissionForbidden(attributes, aggregateMessages(faults));
      }
    },
  };
}
