import type { PodSpec } from '@apiserver/api/core/v1';
import { allContainers } from '@apiserver/resource-kit/pods';

/** Reports whether a variable is a key of a file. Upstream: podFileKeyRefInUse of pkg/api/pod/util.go */
export function usesEnvFiles(spec: PodSpec): boolean {
  return [...allContainers(spec)].some(({ env = [] }) =>
    env.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined),
  );
}

/**
 * Reports whether a container has a restart policy of its own, other than that of a sidecar.
 * Upstream: containerRestartRulesInUse, which ignores ephemeral containers
 */
export function usesRestartRules({ containers, initContainers = [] }: PodSpec): boolean {
  return (
    (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined) ||
    initContainers.some(
      ({ restartPolicy, restartPolicyRules = [] }) =>
        (restartPolicy !== undefined && restartPolicy !== 'Always') || restartPolicyRules.length > 0,
    )
  );
}

/**
 * Reports whether a rule restarts all containers, or a sidecar has rules.
 * Upstream: restartAllContainersActionInUse
 */
export function usesRestartOfAll({ containers, initContainers = [] }: PodSpec): boolean {
  return (
    [...(containers ?? []), ...initContainers].some(({ restartPolicyRules = [] }) =>
      restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
    ) ||
    initContainers.some(
      ({ restartPolicy, restartPolicyRules = [] }) => restartPolicy === 'Always' && restartPolicyRules.length > 0,
    )
  );
}

/** Reports whether a toleration compares numbers. Upstream: taintTolerationComparisonOperatorsInUse */
export function comparesTolerations({ tolerations = [] }: PodSpec): boolean {
  return tolerations.some(({ operator }) => operator === 'Lt' || operator === 'Gt');
}
