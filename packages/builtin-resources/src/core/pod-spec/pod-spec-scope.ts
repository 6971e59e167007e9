import type { PodSpec, Volume } from '@apiserver/api/core/v1';
import type { PodSpecRules } from './pod-spec-rules.js';

/** Properties of the pod for the validation of its containers. */
export interface PodSpecScope {
  readonly spec: PodSpec;
  readonly rules: PodSpecRules;
  /** Valid volumes, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  /** Names in `spec.resourceClaims`. */
  readonly claimNames: ReadonlySet<string>;
}
