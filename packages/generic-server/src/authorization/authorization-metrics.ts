import type { ObserveLink } from '@apiserver/authorization';
import type { ConditionsObserver } from '@apiserver/authorization/configuration';
import { hashIfNotEmpty, type MetricsRegistry, type Series } from '@apiserver/component-base/metrics';

/** Counts the final decisions of each authorizer. Upstream: k8s.io/apiserver/pkg/authorization/metrics */
export function decisionMetrics(metrics: MetricsRegistry): ObserveLink {
  const decisions = metrics.counter({
    name: 'apiserver_authorization_decisions_total',
    help: 'Final decisions of each authorizer.',
    labels: ['type', 'name', 'decision'],
  });
  return ({ type, name }) => {
    const series: { allowed?: Series; denied?: Series } = {};
    return (given) => {
      const decision = given === 'Allow' ? 'allowed' : 'denied';
      series[decision] ??= decisions.with({ type, name, decision });
      series[decision].value++;
    };
  };
}

/** In seconds. */
const CONDITION_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/**
 * Returns the observer of the match conditions of a webhook. Call it once for each server.
 * Upstream: k8s.io/apiserver/pkg/authorization/cel/metrics.go
 */
export function conditionMetrics(metrics: MetricsRegistry): (name: string) => ConditionsObserver {
  const labels = ['type', 'name'] as const;
  const errors = metrics.counter({
    name: 'apiserver_authorization_match_condition_evaluation_errors_total',
    help: 'Accesses for which match conditions of an authorization webhook could not be evaluated.',
    labels,
  });
  const exclusions = metrics.counter({
    name: 'apiserver_authorization_match_condition_exclusions_total',
    help: 'Accesses that match conditions excluded from an authorization webhook.',
    labels,
  });
  const seconds = metrics.histogram(
    {
      name: 'apiserver_authorization_match_condition_evaluation_seconds',
      help: 'Time to evaluate the match conditions of an authorization webhook, in seconds.',
      labels,
    },
    CONDITION_BOUNDS,
  );
  return (name) => {
    const of = { type: 'Webhook', name };
    return {
      evaluated: (duration) => seconds.with(of).observe(duration),
      failed: () => void errors.with(of).value++,
      excluded: () => void exclusions.with(of).value++,
    };
  };
}

/** Counts the reloads of the configuration file. */
export interface ReloadMetrics {
  /** The configuration with this content is in use now. */
  succeeded(content: Uint8Array): void;
  failed(): void;
}

/** Upstream: k8s.io/apiserver/pkg/server/options/authorizationconfig/metrics */
export function reloadMetrics(metrics: MetricsRegistry, serverId: string, now: () => number): ReloadMetrics {
  const labels = ['status', 'apiserver_id_hash'] as const;
  const id = { apiserver_id_hash: hashIfNotEmpty(serverId) };
  const prefix = 'apiserver_authorization_config_controller';
  const reloads = metrics.counter({
    name: `${prefix}_automatic_reloads_total`,
    help: 'Reloads of the authorization configuration.',
    labels,
  });
  const timestamps = metrics.gauge({
    name: `${prefix}_automatic_reload_last_timestamp_seconds`,
    help: 'Unix time of the last reload of the authorization configuration.',
    labels,
  });
  let hash = '';
  metrics.collect({
    name: `${prefix}_last_config_info`,
    help: 'Hash of the authorization configuration in use.',
    type: 'gauge',
    samples: () => (hash === '' ? [] : [{ labels: { ...id, hash }, value: 1 }]),
  });
  const reloaded = (status: 'success' | 'failure') => {
    reloads.with({ ...id, status }).value++;
    timestamps.with({ ...id, status }).value = now() / 1_000;
  };
  return {
    succeeded(content) {
      reloaded('success');
      hash = hashIfNotEmpty(content);
    },
    failed: () => reloaded('failure'),
  };
}
