/** The Pod Security Standards: checks of pods by level and version, and the policies that namespaces ask for. */
export { evaluatePod } from './evaluate-pod.js';
export {
  compareLevels,
  formatLevelVersion,
  isPodSecurityLevel,
  isPolicyVersion,
  LATEST,
  type LevelVersion,
  type PodSecurityLevel,
} from './level-version.js';
export {
  type NamespacePolicy,
  POD_SECURITY_PREFIX,
  type PolicyMode,
  type ResolvedPolicy,
  resolvePolicy,
} from './namespace-policy.js';
export type { CheckedPod } from './pod-containers.js';
export { formatReasons, formatViolations, type PodSecurityViolation } from './violation.js';
