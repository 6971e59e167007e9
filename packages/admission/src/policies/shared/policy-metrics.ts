import { once } from '@apiserver/apimachinery/lazy';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';

/** In seconds. */
const BOUNDS = [0.0000005, 0.001, 0.01, 0.1, 1];

/** The kind of an error, as metrics name it. */
type ErrorType = 'no_error' | 'compile_error' | 'out_of_budget' | 'invalid_error';

/** A check of a policy by one expression. */
interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly errorType: ErrorType;
  readonly seconds: number;
}

/** Counts the checks of policies. */
export interface PolicyObserver {
  /** `action` is `allow`, `deny`, `warn` or `audit`; policies that mutate have none. */
  observe(check: PolicyCheck, action?: string): void;
}

/**
 * The type of an error by its message; undefined means no error.
 * Upstream: ErrorType of k8s.io/apiserver/pkg/admission/plugin/policy/validating/errors.go
 */
export function errorTypeOf(message: string | undefined): ErrorType {
  if (message === undefined) return 'no_error';
  if (message.startsWith('compilation')) return 'compile_error';
  if (message.startsWith('validation failed due to running out of cost budget')) return 'out_of_budget';
  return 'invalid_error';
}

/** Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/metrics */
export function validatingPolicyMetrics(registry: MetricsRegistry): PolicyObserver {
  return lazily(() => {
    const labels = ['policy', 'policy_binding', 'error_type', 'enforcement_action'] as const;
    const checks = registry.counter({
      name: 'apiserver_validating_admission_policy_check_total',
      help: 'Checks of validating admission policies, by policy, binding, error and action taken.',
      labels,
    });
    const durations = registry.histogram(
      {
        name: 'apiserver_validating_admission_policy_check_duration_seconds',
        help: 'Time that an expression of a validating admission policy took, by policy, binding, error and action taken.',
        labels,
      },
      BOUNDS,
    );
    return {
      observe({ policy, binding, errorType, seconds }, action = '') {
        const values = { policy, policy_binding: binding, error_type: errorType, enforcement_action: action };
        checks.with(values).value++;
        durations.with(values).observe(seconds);
      },
    };
  });
}

/** Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/metrics */
export function mutatingPolicyMetrics(registry: MetricsRegistry): PolicyObserver {
  return lazily(() => {
    const labels = ['policy', 'policy_binding', 'error_type'] as const;
    const checks = registry.counter({
      name: 'apiserver_mutating_admission_policy_check_total',
      help: 'Checks of mutating admission policies, by policy, binding and error.',
      labels,
    });
    const durations = registry.histogram(
      {
        name: 'apiserver_mutating_admission_policy_check_duration_seconds',
        help: 'Time that a mutation of an admission policy took, by policy, binding and error.',
        labels,
      },
      BOUNDS,
    );
    return {
      observe({ policy, binding, errorType, seconds }) {
        const values = { policy, policy_binding: binding, error_type: errorType };
        checks.with(values).value++;
        durations.with(values).observe(seconds);
      },
    };
  });
}

/** The metrics are there from the first check on. */
function lazily(make: () => PolicyObserver): PolicyObserver {
  const observer = once(make);
  return { observe: (check, action) => observer().observe(check, action) };
}
