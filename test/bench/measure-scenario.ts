import { AdminClient } from '../harness/admin-client.ts';
import { inNamespace } from './in-namespace.ts';
import type { Job } from './load-generator.ts';
import type { LoadProcess } from './load-process.ts';
import { type Measurement, percentile } from './measurement.ts';
import { makerOf, type ScenarioName, warmUpPerOperation } from './scenarios.ts';
import { type ServerStatistics, whileWorking } from './server-statistics.ts';

/** One run of a scenario; µs of the server's CPU for an operation. */
interface Run {
  readonly measurement: Measurement;
  readonly cpu: number;
  readonly after: ServerStatistics;
}

/** A scenario as it is measured by `measureScenario`. */
export interface ScenarioResult {
  readonly job: Job;
  /** Its first operations: V8 compiles their code meanwhile. */
  readonly first: Run;
  /** The same again after a warm-up; the first ones where there was none. */
  readonly steady: Run;
}

/** Aims: µs of the server's CPU for an operation with compiled code, on the embedded store over HTTP/2. */
const aims: { readonly [scenario in ScenarioName]?: number } = {
  create: 90,
  get: 36,
  list: 24_000,
  patch: 130,
  apply: 200,
  'watch-100': 3,
  'watch-1000': 3,
};

/**
 * Operations per second of kube-apiserver 1.20 on etcd 3.5 over HTTP/2, alone on a machine like the one of
 * docs/performance.md; the middle of its ranges.
 */
const reference: { readonly [scenario in ScenarioName]?: number } = {
  create: 2_100,
  get: 4_500,
  list: 7.4,
  'list-500': 130,
  patch: 2_050,
  apply: 1_600,
  'watch-100': 80_000,
  'watch-1000': 66_000,
};

/** The columns of `rowOf`. */
export const header = [
  'scenario',
  'protocol',
  'ops',
  'ops/s',
  'x ref',
  'MB/s',
  'p50 ms',
  'p99 ms',
  'first µs/op',
  'cpu µs/op',
  'aim',
  'loop p99 ms',
  'RSS MiB',
  'failed',
];

/**
 * Measures a scenario's first operations, and the same again when it has been repeated for at least `warmUp` more
 * (`warmUpPerOperation`). Scenarios that make objects make the later ones in separate namespaces.
 */
export async function measureScenario(generator: LoadProcess, job: Job, warmUp: number): Promise<ScenarioResult> {
  const first = await run(generator, job);
  if (warmUp === 0) return { job, first, steady: first };
  for (let done = 0; done < warmUp; ) {
    const { operations } = await again(job, (other) => generator.run(other));
    done += operations * warmUpPerOperation(job.scenario, job.objects);
  }
  return { job, first, steady: await again(job, (other) => run(generator, other)) };
}

/** A line of the table: the steady state, except for one column. */
export function rowOf({ job, first, steady }: ScenarioResult): readonly string[] {
  const { operations, seconds, latencies, bytes, failures } = steady.measurement;
  const rate = operations / seconds;
  const known = job.protocol === 'h2' ? reference[job.scenario] : undefined;
  return [
    job.scenario,
    job.protocol,
    String(operations),
    rate.toFixed(rate < 100 ? 1 : 0),
    known === undefined ? '-' : (rate / known).toFixed(1),
    (bytes / 1e6 / seconds).toFixed(1),
    percentile(latencies, 0.5).toFixed(2),
    percentile(latencies, 0.99).toFixed(2),
    first.cpu.toFixed(1),
    steady === first ? '-' : steady.cpu.toFixed(1),
    job.protocol === 'h2' ? String(aims[job.scenario] ?? '-') : '-',
    steady.after.eventLoopDelayP99?.toFixed(1) ?? '-',
    (steady.after.residentBytes / 2 ** 20).toFixed(0),
    String(failures + (steady === first ? 0 : first.measurement.failures)),
  ];
}

async function run(generator: LoadProcess, job: Job): Promise<Run> {
  // No other code uses it meanwhile, and idle connections are closed.
  using client = new AdminClient(job.kubeconfig);
  await using load = await generator.prepare(job);
  const { result: measurement, cpuSeconds, after } = await whileWorking(client, () => load.measure());
  return { measurement, after, cpu: (cpuSeconds * 1e6) / measurement.operations };
}

let namespaces = 0;

/** Names are the same every time, so a scenario that makes objects gets a namespace. */
function again<T>(job: Job, work: (job: Job) => Promise<T>): Promise<T> {
  if (job.scenario !== makerOf(job.scenario)) return work(job);
  return inNamespace(job.kubeconfig, `${job.namespace}-${namespaces++}`, (namespace) => work({ ...job, namespace }));
}
