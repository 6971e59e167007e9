import { sliceTurn } from '@apiserver/apimachinery/clock';
import { evaluatePod } from '../../pod-security/evaluate-pod.js';
import { equalLevelVersions, type LevelVersion } from '../../pod-security/level-version.js';
import { type CheckedPod, containersOf } from '../../pod-security/pod-containers.js';
import type { PodSecurityViolation } from '../../pod-security/violation.js';

/** From this number on, an evaluation takes milliseconds: 40 for the 14,000 containers of the largest request. */
const MANY_CONTAINERS = 500;

/** Evaluates a pod once for each policy. */
export class PodEvaluation {
  readonly #pod: CheckedPod;
  readonly #known: { readonly policy: LevelVersion; readonly violations: readonly PodSecurityViolation[] }[] = [];

  constructor(pod: CheckedPod) {
    this.#pod = pod;
  }

  by(policy: LevelVersion): readonly PodSecurityViolation[] {
    const known = this.#known.find((other) => equalLevelVersions(other.policy, policy));
    if (known !== undefined) return known.violations;
    const violations = evaluatePod(policy, this.#pod);
    this.#known.push({ policy, violations });
    return violations;
  }

  /**
   * Evaluates a large pod by all policies, each in a turn of the event loop. Undefined for any other pod, whose
   * evaluation needs no turns.
   */
  prepare(policies: readonly LevelVersion[]): Promise<void> | undefined {
    return containersOf(this.#pod).length < MANY_CONTAINERS ? undefined : this.#prepare(policies);
  }

  async #prepare(policies: readonly LevelVersion[]): Promise<void> {
    for (const policy of policies) {
      this.by(policy);
      await sliceTurn();
    }
  }
}
