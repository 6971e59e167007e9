import { type Clock, durationClock } from '@apiserver/apimachinery/clock';
import { exponentialBounds } from '../metrics/exponential-bounds.js';
import type { MetricsRegistry } from '../metrics/metrics-registry.js';

/** Upstream: ExponentialBuckets(10e-9, 10, 10), in seconds */
const BOUNDS = exponentialBounds(1e-8, 10, 10);

/** Counts the work of one queue. Durations are in seconds, `depth` is the number of waiting keys. */
export interface WorkQueueMetrics {
  added(depth: number): void;
  started(key: string, depth: number, waited: number): void;
  done(key: string, took: number): void;
  retried(): void;
}

/** Counts nothing. */
export const noWorkQueueMetrics: WorkQueueMetrics = {
  added: () => {},
  started: () => {},
  done: () => {},
  retried: () => {},
};

/** Makes the metrics of one queue by its name. */
type QueueMetricsMaker = (name: string) => WorkQueueMetrics;

/**
 * Returns a function that makes the metrics of one queue. Programs of one registry share them.
 * Upstream: k8s.io/component-base/metrics/prometheus/workqueue
 */
export function createWorkQueueMetrics(registry: MetricsRegistry, clock: Clock): QueueMetricsMaker {
  return registry.memo.of(registerWorkQueueMetrics, () => registerWorkQueueMetrics(registry, clock));
}

function registerWorkQueueMetrics(registry: MetricsRegistry, clock: Clock): QueueMetricsMaker {
  const labels = ['name'] as const;
  const depth = registry.gauge({ name: 'workqueue_depth', help: 'Keys that wait in a work queue.', labels });
  const adds = registry.counter({ name: 'workqueue_adds_total', help: 'Keys added to a work queue.', labels });
  const retries = registry.counter({ name: 'workqueue_retries_total', help: 'Retries of keys.', labels });
  const waited = registry.histogram(
    { name: 'workqueue_queue_duration_seconds', help: 'Time that keys wait in a work queue.', labels },
    BOUNDS,
  );
  const worked = registry.histogram(
    { name: 'workqueue_work_duration_seconds', help: 'Time that processing a key takes.', labels },
    BOUNDS,
  );
  const durations = durationClock(clock);
  const running = new Map<string, Map<string, number>>();
  const collect = (name: string, help: string, of: (ages: readonly number[]) => number) => {
    const samples = () =>
      [...running].map(([queue, starts]) => {
        const now = durations.now();
        return { value: of([...starts.values()].map((start) => (now - start) / 1000)), labels: { name: queue } };
      });
    registry.collect({ name, help, type: 'gauge', samples });
  };
  collect('workqueue_unfinished_work_seconds', 'Age of all keys in progress, added up.', (ages) =>
    ages.reduce((sum, age) => sum + age, 0),
  );
  collect('workqueue_longest_running_processor_seconds', 'Age of the oldest key in progress.', (ages) =>
    Math.max(0, ...ages),
  );
  return (name) => {
    const starts = running.get(name) ?? new Map<string, number>();
    running.set(name, starts);
    const series = { depth: depth.with({ name }), adds: adds.with({ name }), retries: retries.with({ name }) };
    const times = { waited: waited.with({ name }), worked: worked.with({ name }) };
    return {
      added: (waiting) => {
        series.adds.value++;
        series.depth.value = waiting;
      },
      started: (key, waiting, seconds) => {
        starts.set(key, durations.now());
        series.depth.value = waiting;
        times.waited.observe(seconds);
      },
      done: (key, seconds) => {
        starts.delete(key);
        times.worked.observe(seconds);
      },
      retried: () => void series.retries.value++,
    };
  };
}
