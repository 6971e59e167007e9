import type { Pod, Toleration } from '@apiserver/api/core/v1';
import { isExtendedResource } from '@apiserver/apimachinery/validation';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';

/**
 * Lets pods that request an extended resource run on nodes that are reserved for it.
 * Upstream: plugin/pkg/admission/extendedresourcetoleration
 */
export function extendedResourceToleration(): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    handles: handlesMain(PODS, 'CREATE', 'UPDATE'),
    admit(attributes) {
      const { spec } = admittedObject<Pod>(attributes);
      const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
      const requested = containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
      const keys = new Set(requested.filter(isExtendedResource).sort());
      if (keys.size > 0) spec.tolerations = withTolerations(spec.tolerations ?? [], keys);
    },
  };
}

/**
 * Adds a toleration for each key, or replaces those that are equal but for their seconds.
 * Upstream: AddOrUpdateTolerationInPod
 */
function withTolerations(tolerations: readonly Toleration[], keys: ReadonlySet<string>): Toleration[] {
  const missing = new Set(keys);
  const kept = tolerations.map((known) => {
    const { key = '', operator, effect, value } = known;
    if (!keys.has(key) || operator !== 'Exists' || effect !== 'NoSchedule' || value) return known;
    missing.delete(key);
    return tolerationOf(key);
  });
  return [...kept, ...[...missing].map(tolerationOf)];
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' };
}
