import type { LimitRange, PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import { inSlices } from '@apiserver/apimachinery/clock';
import { aggregateMessages, CappedErrors } from '@apiserver/apimachinery/field';
import type { AdmissionAttributes, AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { isResource, PODS } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { consideredSpec } from '../../pods/considered-spec.js';
import { ViewReadiness } from '../../view-readiness.js';
import { applyLimitDefaults } from './limit-defaults.js';
import { claimLimitFaults, podLimitFaults } from './limit-faults.js';
import { refuseExcessiveLimits } from './limit-work.js';

const LIMIT_RANGES = { group: '', version: 'v1', resource: 'limitranges' };
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };

/**
 * Sets the defaults of the namespace's limit ranges on containers, and holds pods and claims to their bounds. The
 * informer is never behind a limit range whose creation was acknowledged, so there is no live lookup.
 * Upstream: plugin/pkg/admission/limitranger
 */
export function limitRanger({
  informer,
  features,
}: Pick<AdmissionPluginDependencies, 'informer' | 'features'>): AdmissionPlugin {
  const considered = consideredSpec(features);
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
      const ranges = await rangesFor(attributes);
      refuseExcessiveLimits(ranges, pod);
      for (const limitRange of ranges) applyLimitDefaults(limitRange, pod);
    },
    async validate(attributes) {
      const ranges = await rangesFor(attributes);
      const isPod = isResource(attributes.resource, PODS);
      // Another plugin can have added containers.
      if (isPod) refuseExcessiveLimits(ranges, admittedObject<Pod>(attributes));
      for (const limitRange of ranges) {
        const faults = isPod
          ? await inSlices(podLimitFaults(limitRange, considered(admittedObject<Pod>(attributes).spec)))
          : claimLimitFaults(limitRange, admittedObject<PersistentVolumeClaim>(attributes));
        if (faults.length > 0) throw newAdmissionForbidden(attributes, aggregateMessages(capped(faults)));
      }
    },
  };
}

/** Upstream lists them all. */
function capped(faults: readonly string[]): string[] {
  const errors = new CappedErrors<string>({ sizeOf: ({ length }) => length, further: (count) => `and ${count} more` });
  for (const fault of faults) errors.add(fault);
  return errors.list();
}
