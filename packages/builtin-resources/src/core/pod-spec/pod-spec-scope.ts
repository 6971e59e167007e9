import type { PodSpec, Volume } from '@apiserver/api/core/v1';
import type { PodSpecRules } from './pod-spec-rules.js';

/** What the checks of a container know of the pod around it. */
export interface PodSpecScope {
  readonly spec: PodSpec;
  readonly rules: PodSpecRules;
  /** Volumes without a fault, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  /** Names in `spec.resourceClaims`. */
  readonly claimNames: ReadonlySet<string>;
}
