import type { Job } from '@apiserver/api/batch/v1';
import type { PodGroup } from '@apiserver/api/scheduling/v1alpha2';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionPlugin, Informer } from '@apiserver/apiserver-contracts';
import { admittedObject, storedObject } from '../../admitted-object.js';
import { handlesMain } from '../../endpoint.js';
import { newAdmissionForbidden } from '../../forbidden.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import { POD_GROUPS } from './pod-group-resources.js';

const JOBS = { group: 'batch', resource: 'jobs' };

/**
 * Refuses a change of the parallelism of a Job whose pods are scheduled as a gang.
 * Upstream: plugin/pkg/admission/job
 */
export function jobValidation({
  features,
  informer,
}: Pick<AdmissionPluginDependencies, 'features' | 'informer'>): AdmissionPlugin {
  const isEnabled = features.enabled('GenericWorkload');
  const handles = handlesMain(JOBS, 'UPDATE');
  const podGroups = informer<PodGroup>(POD_GROUPS);
  const view = new ViewReadiness(podGroups);
  return {
    name: 'JobValidation',
    handles: (operation, endpoint) => isEnabled && handles(operation, endpoint),
    async validate(attributes) {
      const job = admittedObject<Job>(attributes);
      const old = storedObject<Job>(attributes);
      if (old === undefined || job.spec.parallelism === old.spec.parallelism) return;
      await view.ready(attributes);
      const gang = groupsOf(old, podGroups).find(({ spec }) => spec.schedulingPolicy.gang);
      if (gang === undefined) return;
      const group = `gang-scheduled PodGroup ${quote(gang.metadata.name ?? '')}`;
      throw newAdmissionForbidden(attributes, `cannot change parallelism for a Job referencing ${group}`);
    },
  };
}

/** The group that the template names, or the groups that the Job controls. */
function groupsOf({ metadata, spec }: Job, podGroups: Informer<PodGroup>): readonly PodGroup[] {
  const { namespace = '', uid } = metadata;
  const name = spec.template.spec?.schedulingGroup?.podGroupName;
  if (name !== undefined) {
    const named = podGroups.get(namespace, name);
    return named === undefined ? [] : [named];
  }
  return podGroups
    .list(namespace)
    .filter((group) => group.metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid));
}
