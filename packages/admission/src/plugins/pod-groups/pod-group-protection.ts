import type { PodGroup } from '@apiserver/api/scheduling/v1alpha2';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { handlesMain } from '../../endpoint.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { POD_GROUPS } from './pod-group-resources.js';

/** Upstream: PodGroupProtectionFinalizer of pkg/apis/scheduling */
const FINALIZER = 'scheduling.k8s.io/podgroup-protection';

/**
 * Gives new PodGroups a finalizer, which a controller removes when no pod uses the group any more.
 * Upstream: plugin/pkg/admission/podgroupprotection
 */
export function podGroupProtection({ features }: Pick<AdmissionPluginDependencies, 'features'>): AdmissionPlugin {
  const isEnabled = features.enabled('GenericWorkload');
  const handles = handlesMain(POD_GROUPS, 'CREATE');
  return {
    name: 'PodGroupProtection',
    handles: (operation, endpoint) => isEnabled && handles(operation, endpoint),
    admit(attributes) {
      const { metadata } = admittedObject<PodGroup>(attributes);
      const { finalizers = [] } = metadata;
      if (!finalizers.includes(FINALIZER)) metadata.finalizers = [...finalizers, FINALIZER];
    },
  };
}
