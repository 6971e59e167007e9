import type { LimitRange, PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { isResource, PODS } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginParts } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import { applyLimitDefaults } from './limit-defaults.js';
import { claimLimitFaults, podLimitFaults } from './limit-faults.js';

const LIMIT_RANGES = { group: '', version: 'v1', resource: 'limitranges' };
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };

/**
 * Gives containers the resources that the limit ranges of their namespace have as defaults, and holds pods and claims to
 * their bounds. The view is never behind a limit range that somebody was told of, so nothing is looked up beside it.
 * Upstream: plugin/pkg/admission/limitranger
 */
export function limitRanger({ informer }: Pick<AdmissionPluginParts, 'informer'>): AdmissionPlugin {
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
      // The resources of a pod that exists are changed by a resize only.
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
