import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { MatchConditionsObserver } from './match-conditions.js';

/** In seconds. */
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/** The object that has match conditions, as metrics name it. */
export interface ConditionsOwner {
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  /** Upstream counts the evaluations of validating webhooks as `validating`, and their exclusions as `validate`. */
  readonly type: 'admit' | 'validate' | 'validating';
}

/**
 * Counts evaluations of match conditions. One instance serves all plugins.
 * Upstream: k8s.io/apiserver/pkg/admission/metrics
 */
export class MatchConditionMetrics {
  readonly #registry: MetricsRegistry;
  #families: ReturnType<typeof newFamilies> | undefined;

  constructor(registry: MetricsRegistry) {
    this.#registry = registry;
  }

  /** Counts the evaluations of one owner's conditions. */
  observer({ name, kind, type }: ConditionsOwner): MatchConditionsObserver {
    const labels = (operation: string) => ({ name, kind, type, operation });
    return {
      evaluated: (operation, seconds) => this.#all.seconds.with(labels(operation)).observe(seconds),
      failed: (operation) => void this.#all.errors.with(labels(operation)).value++,
    };
  }

  /** Counts a request that conditions excluded. */
  excluded({ name, kind, type }: ConditionsOwner, operation: string): void {
    this.#all.exclusions.with({ name, kind, type, operation }).value++;
  }

  get #all() {
    this.#families ??= newFamilies(this.#registry);
    return this.#families;
  }
}

function newFamilies(registry: MetricsRegistry) {
  const labels = ['name', 'kind', 'type', 'operation'] as const;
  return {
    errors: registry.counter({
      name: 'apiserver_admission_match_condition_evaluation_errors_total',
      help: 'Number of match conditions that could not be evaluated.',
      labels,
    }),
    exclusions: registry.counter({
      name: 'apiserver_admission_match_condition_exclusions_total',
      help: 'Number of requests that match conditions excluded.',
      labels,
    }),
    seconds: registry.histogram(
      {
        name: 'apiserver_admission_match_condition_evaluation_seconds',
        help: 'Time the match conditions of a webhook or a policy took.',
        labels,
      },
      BOUNDS,
    ),
  };
}
