import type { AdmissionOperation } from '@apiserver/apiserver-contracts';
import type { HistogramSeries, MetricsRegistry } from '@apiserver/component-base/metrics';
import type { AdmissionObserver, AdmissionPhase } from './admission-chain.js';

/** In seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** The series of an operation's two outcomes. */
interface Outcomes {
  accepted?: HistogramSeries;
  rejected?: HistogramSeries;
}

/** The series of one phase, by plugin ("" for the phase as a whole). */
type PhaseSeries = Map<string, Record<AdmissionOperation, Outcomes>>;

/**
 * Counts how long plugins and phases take. The metrics are there from the first request on that a plugin looked at.
 * Upstream: k8s.io/apiserver/pkg/admission/metrics, without its summary
 */
export function admissionMetrics(registry: MetricsRegistry): AdmissionObserver {
  let families: ReturnType<typeof newFamilies> | undefined;
  const known: Readonly<Record<AdmissionPhase, PhaseSeries>> = { admit: new Map(), validate: new Map() };
  return {
    now: () => performance.now(),
    observe({ plugin, phase: type, operation, rejected, seconds }) {
      const name = plugin ?? '';
      let ofPlugin = known[type].get(name);
      if (ofPlugin === undefined) {
        ofPlugin = { CREATE: {}, UPDATE: {}, DELETE: {}, CONNECT: {} };
        known[type].set(name, ofPlugin);
      }
      const outcomes = ofPlugin[operation];
      const outcome = rejected ? 'rejected' : 'accepted';
      let series = outcomes[outcome];
      if (series === undefined) {
        families ??= newFamilies(registry);
        const labels = { type, operation, rejected: String(rejected) };
        series = plugin === undefined ? families.steps.with(labels) : families.plugins.with({ name, ...labels });
        outcomes[outcome] = series;
      }
      series.observe(seconds);
    },
  };
}

function newFamilies(registry: MetricsRegistry) {
  const labels = ['type', 'operation', 'rejected'] as const;
  return {
    plugins: registry.histogram(
      {
        name: 'apiserver_admission_controller_admission_duration_seconds',
        help: 'Time a plugin took, by plugin, phase, operation and whether it refused.',
        labels: ['name', ...labels],
      },
      BOUNDS,
    ),
    steps: registry.histogram(
      {
        name: 'apiserver_admission_step_admission_duration_seconds',
        help: 'Time a phase took, by phase, operation and whether it refused.',
        labels,
      },
      BOUNDS,
    ),
  };
}
