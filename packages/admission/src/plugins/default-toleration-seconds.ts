import type { Pod, Toleration } from '@apiserver/api/core/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { handlesMain, PODS } from '../endpoint.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

/**
 * Adds default tolerations for nodes that are not ready or unreachable, unless a pod has its own.
 * Upstream: plugin/pkg/admission/defaulttolerationseconds
 */
export function defaultTolerationSeconds({
  notReadyTolerationSeconds,
  unreachableTolerationSeconds,
}: Pick<AdmissionPluginDependencies, 'notReadyTolerationSeconds' | 'unreachableTolerationSeconds'>): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    handles: handlesMain(PODS, 'CREATE', 'UPDATE'),
    admit(attributes) {
      const { spec } = admittedObject<Pod>(attributes);
      const tolerations = spec.tolerations ?? [];
      const added = [
        ...missing(tolerations, NOT_READY, notReadyTolerationSeconds),
        ...missing(tolerations, UNREACHABLE, unreachableTolerationSeconds),
      ];
      if (added.length > 0) spec.tolerations = [...tolerations, ...added];
    },
  };
}

function missing(tolerations: readonly Toleration[], key: string, tolerationSeconds: number): Toleration[] {
  const tolerated = tolerations.some(
    (known) => (known.key === key || !known.key) && (known.effect === 'NoExecute' || !known.effect),
  );
  return tolerated ? [] : [{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }];
}
