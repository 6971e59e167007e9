import type { Pod } from '@apiserver/api/core/v1';
import { newForbidden } from '@apiserver/apimachinery/errors';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';

const ALLOWED_KEY = 'kubernetes.io/hostname';

/**
 * Refuses required pod anti-affinity on topologies other than the node, because a wider topology can starve other
 * pods.
 * Upstream: plugin/pkg/admission/antiaffinity
 */
export function limitPodHardAntiAffinityTopology(): AdmissionPlugin {
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    handles: handlesMain(PODS, 'CREATE', 'UPDATE'),
    validate(attributes) {
      const { metadata, spec } = admittedObject<Pod>(attributes);
      const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const other = terms.find(({ topologyKey }) => topologyKey !== ALLOWED_KEY);
      if (other === undefined) return;
      const field = 'affinity.PodAntiAffinity.RequiredDuringScheduling';
      const fault = `${field} has TopologyKey ${other.topologyKey} but only key ${ALLOWED_KEY} is allowed`;
      throw newForbidden(attributes.resource, metadata.name ?? '', fault);
    },
  };
}
