import type { MetricsRegistry } from '@apiserver/component-base/metrics';

/** Told of the work with rules. Durations are in seconds. */
export interface RuleObserver {
  /** The rules of one schema were compiled. */
  compiled(seconds: number): void;
  /** All rules of one object were evaluated. */
  evaluated(seconds: number): void;
}

export const noRuleObserver: RuleObserver = { compiled: () => {}, evaluated: () => {} };

/** Upstream: DefBuckets of Prometheus' client for Go */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Upstream: k8s.io/apiserver/pkg/cel/metrics, as apiextensions-apiserver uses it */
export function ruleMetrics(registry: MetricsRegistry): RuleObserver {
  const make = (name: string, help: string) =>
    registry.histogram({ name: `apiserver_cel_${name}_duration_seconds`, help, labels: [] }, BOUNDS).with({});
  const compilation = make('compilation', 'Time to compile the rules of a schema in seconds.');
  const evaluation = make('evaluation', 'Time to evaluate the rules of an object in seconds.');
  return {
    compiled: (seconds) => compilation.observe(seconds),
    evaluated: (seconds) => evaluation.observe(seconds),
  };
}
