import type { Exchange, Filter } from '@apiserver/apiserver-contracts';
import type { HistogramSeries } from '@apiserver/component-base/metrics';

/**
 * A filter whose time is observed, until it passes a request on.
 * Upstream: TrackStarted and TrackCompleted of k8s.io/apiserver/pkg/endpoints/filterlatency
 */
export function timedFilter({ name, wrap }: Filter, durations: HistogramSeries): Filter {
  return {
    name,
    wrap: (next) => {
      const handle = wrap((exchange) => {
        observeFilter(exchange, durations);
        return next(exchange);
      });
      return (exchange) => {
        exchange.context.filterStartedAt = performance.now();
        return handle(exchange);
      };
    },
  };
}

/** Observes the time since the filter of a request began. */
export function observeFilter({ context: { filterStartedAt } }: Exchange, durations: HistogramSeries): void {
  if (filterStartedAt !== undefined) durations.observe((performance.now() - filterStartedAt) / 1_000);
}
