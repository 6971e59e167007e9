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
      for (const key of new Set(requested.filter(isExtendedResource).sort())) {
        spec.tolerations = withToleration(spec.tolerations ?? [], { key, operator: 'Exists', effect: 'NoSchedule' });
      }
    },
  };
}

/**
 * Replaces a toleration with the same key, effect, operator and value.
 * Upstream: AddOrUpdateTolerationInPod
 */
function withToleration(tolerations: readonly Toleration[], added: Toleration): Toleration[] {
  const matches = (known: Toleration) =>
    known.key === added.key && known.effect === added.effect && known.operator === added.operator && !known.value;
  if (!tolerations.some(matches)) return [...tolerations, added];
  return tolerations.map((known) => (matches(known) ? added : known));
}
