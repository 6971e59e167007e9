import type { MetricsRegistry } from '@apiserver/component-base/metrics';

/** Metrics of the maintenance filter. */
export interface MaintenanceMetrics {
  /** Counts one refused write. */
  refused(verb: string): void;
}

/** Registers the metric families of maintenance. Throws if the registry has one of the names already. */
export function createMaintenanceMetrics(registry: MetricsRegistry): MaintenanceMetrics {
  const refused = registry.counter({
    name: 'maintenance_refused_requests_total',
    help: 'Writes that were refused for maintenance, by verb.',
    labels: ['verb'],
  });
  return { refused: (verb) => void refused.with({ verb }).value++ };
}
