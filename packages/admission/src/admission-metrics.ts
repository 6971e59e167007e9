import type { AdmissionOperation } from '@apiserver/apiserver-contracts';
import {
  HistogramFamily,
  type HistogramSeries,
  type Labels,
  type MetricsRegistry,
  type SummarySeries,
} from '@apiserver/component-base/metrics';
import type { AdmissionObserver, AdmissionPhase, SkippedRuns } from './admission-chain.js';

/** In seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Upstream: defObjectives of k8s.io/component-base/metrics/opts.go */
const QUANTILES = [0.5, 0.9, 0.99];
/** Five hours. Upstream: latencySummaryMaxAge of k8s.io/apiserver/pkg/admission/metrics */
const SUMMARY_AGE_MS = 5 * 3_600_000;

/** The series of one label set: plugins have no summary. */
interface OutcomeSeries {
  readonly histogram: HistogramSeries;
  readonly summary: SummarySeries | undefined;
}

/** The series of an operation's two outcomes. */
interface Outcomes {
  accepted?: OutcomeSeries;
  rejected?: OutcomeSeries;
}

/** The series of one phase, by plugin ("" for the phase as a whole). */
type PhaseSeries = Map<string, Record<AdmissionOperation, Outcomes>>;

/** Plugins that a phase passes together, with nothing to do. */
interface SkippedPlugins extends SkippedRuns {
  readonly names: readonly string[];
  readonly type: AdmissionPhase;
  readonly operation: AdmissionOperation;
}

/**
 * Counts how long plugins and phases take. The metrics are there from the first request on that a plugin looked at.
 * Plugins that had nothing to do took no time; their runs are added when the metrics are read.
 * Upstream: k8s.io/apiserver/pkg/admission/metrics
 */
export function admissionMetrics(registry: MetricsRegistry): AdmissionObserver {
  let families: Families | undefined;
  const known: Readonly<Record<AdmissionPhase, PhaseSeries>> = { admit: new Map(), validate: new Map() };
  const skipped = new Map<string, SkippedPlugins>();
  const now = () => performance.now();
  return {
    now,
    observe({ plugin, phase: type, operation, rejected, seconds, at }) {
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
        families ??= newFamilies(registry, skipped, now);
        const labels = { type, operation, rejected: String(rejected) };
        series = plugin === undefined ? stepSeries(families, labels) : pluginSeries(families, { name, ...labels });
        outcomes[outcome] = series;
      }
      series.histogram.observe(seconds);
      series.summary?.observe(seconds, at);
    },
    skipped(type, operation, names) {
      const key = [type, operation, ...names].join(' ');
      const counter = skipped.get(key) ?? { type, operation, names, runs: 0 };
      skipped.set(key, counter);
      return counter;
    },
  };
}

type Families = ReturnType<typeof newFamilies>;
type StepLabels = Labels<'type' | 'operation' | 'rejected'>;

function stepSeries({ steps, summaries }: Families, labels: StepLabels): OutcomeSeries {
  return { histogram: steps.with(labels), summary: summaries.with(labels) };
}

function pluginSeries({ plugins }: Families, labels: StepLabels & Labels<'name'>): OutcomeSeries {
  return { histogram: plugins.with(labels), summary: undefined };
}

function newFamilies(registry: MetricsRegistry, skipped: ReadonlyMap<string, SkippedPlugins>, now: () => number) {
  const labels = ['type', 'operation', 'rejected'] as const;
  const step = { help: 'Time a phase took, by phase, operation and whether it refused.', labels };
  return {
    plugins: pluginFamily(registry, skipped),
    steps: registry.histogram({ ...step, name: 'apiserver_admission_step_admission_duration_seconds' }, BOUNDS),
    summaries: registry.summary(
      { ...step, name: 'apiserver_admission_step_admission_duration_seconds_summary' },
      { quantiles: QUANTILES, maxAge: SUMMARY_AGE_MS, now },
    ),
  };
}

function pluginFamily(registry: MetricsRegistry, skipped: ReadonlyMap<string, SkippedPlugins>) {
  const plugins = new HistogramFamily(
    {
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'Time a plugin took, by plugin, phase, operation and whether it refused.',
      labels: ['name', 'type', 'operation', 'rejected'],
    },
    BOUNDS,
  );
  const { name, help, type } = plugins;
  const samples = () => {
    for (const counter of skipped.values()) addRuns(plugins, counter);
    return plugins.samples();
  };
  registry.collect({ name, help, type, samples });
  return plugins;
}

/** Moves the runs into the lowest buckets. */
function addRuns(plugins: HistogramFamily<'name' | 'type' | 'operation' | 'rejected'>, counter: SkippedPlugins): void {
  const { names, type, operation, runs } = counter;
  counter.runs = 0;
  if (runs === 0) return;
  for (const name of names) plugins.with({ name, type, operation, rejected: 'false' }).observe(0, runs);
}
