/**
 * Measures servers over real TLS: ours in a process of its own, and any others by their kubeconfig, one after the other
 * in the same run. `npm run bench -- --help` tells the options.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import type { Job, JobResult } from './load-generator.ts';
import { type Measurement, percentile } from './measurement.ts';
import { type ScenarioName, scenarioNames } from './scenarios.ts';
import { readStatistics } from './server-statistics.ts';
import { measureStart } from './start-time.ts';
import type { Protocol } from './transport.ts';

const usage = `npm run bench -- [--kubeconfig=FILE]... [--only=SCENARIO,...] [--objects=N] [--protocols=h2,http/1.1] [--starts=N] [--cold]

Without --kubeconfig our own server is started and measured, its start included; with it, the servers named are measured
too ("self" stands for ours). Servers are warmed up first unless --cold is given. Scenarios: start, ${scenarioNames.join(', ')}.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    kubeconfig: { type: 'string', multiple: true, default: ['self'] },
    only: { type: 'string', default: '' },
    objects: { type: 'string', default: '10000' },
    protocols: { type: 'string', default: 'h2,http/1.1' },
    starts: { type: 'string', default: '20' },
    cold: { type: 'boolean', default: false },
  },
});
const wanted = (name: string) => options.only === '' || options.only.split(',').includes(name);
const objects = Number(options.objects);

class LoadGenerator implements Disposable {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)));

  async run(job: Job): Promise<Measurement> {
    this.#child.send(job);
    const [result]: [JobResult] = (await once(this.#child, 'message')) as [JobResult];
    if ('error' in result) throw new Error(result.error);
    return result.measurement;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

const header = [
  'scenario',
  'protocol',
  'ops',
  'ops/s',
  'MB/s',
  'p50 ms',
  'p99 ms',
  'cpu µs/op',
  'loop p99 ms',
  'RSS MiB',
  'failed',
];

async function measureScenario(generator: LoadGenerator, job: Job): Promise<readonly string[]> {
  const before = await readStatistics(job.kubeconfig);
  const { operations, seconds, latencies, bytes, failures } = await generator.run(job);
  const after = await readStatistics(job.kubeconfig);
  const cpu = ((after.cpuSeconds - before.cpuSeconds) * 1e6) / operations;
  return [
    job.scenario,
    job.protocol,
    String(operations),
    (operations / seconds).toFixed(operations / seconds < 100 ? 1 : 0),
    (bytes / 1e6 / seconds).toFixed(1),
    percentile(latencies, 0.5).toFixed(2),
    percentile(latencies, 0.99).toFixed(2),
    cpu.toFixed(1),
    after.eventLoopDelayP99?.toFixed(1) ?? '-',
    (after.residentBytes / 2 ** 20).toFixed(0),
    String(failures),
  ];
}

/** Objects of a namespace of its own, used and removed, so that what is measured afterwards runs on compiled code. */
async function warmUp(generator: LoadGenerator, kubeconfig: string, protocol: Protocol): Promise<void> {
  const namespace = `bench-warm-up-${Date.now()}`;
  await inNamespace(kubeconfig, namespace, async () => {
    for (const scenario of ['create', 'get', 'patch', 'list-500'] as const) {
      await generator.run({ kubeconfig, protocol, scenario, namespace, objects: 3_000 });
    }
  });
}

/** Makes a namespace, works in it, and removes it with what is in it. */
async function inNamespace(kubeconfig: string, namespace: string, work: () => Promise<void>): Promise<void> {
  using client = new AdminClient(kubeconfig);
  await client.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  try {
    await work();
  } finally {
    await client.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps`);
    await client.request('DELETE', `/api/v1/namespaces/${namespace}`);
  }
}

async function measureServer(name: string, kubeconfig: string): Promise<void> {
  using generator = new LoadGenerator();
  const rows: (readonly string[])[] = [header];
  for (const protocol of options.protocols.split(',') as Protocol[]) {
    const namespace = `bench-${protocol.replace(/\W/g, '')}-${Date.now()}`;
    const make = (scenario: ScenarioName): Job => ({ kubeconfig, protocol, scenario, namespace, objects });
    if (!options.cold) await warmUp(generator, kubeconfig, protocol);
    await inNamespace(kubeconfig, namespace, async () => {
      for (const scenario of scenarioNames) {
        if (wanted(scenario)) rows.push(await measureScenario(generator, make(scenario)));
        else if (scenario === 'create') await generator.run(make('create'));
      }
    });
  }
  print(name, rows);
}

async function measureStarts(): Promise<void> {
  const starts = Number(options.starts);
  const rows: (readonly string[])[] = [['start on', 'ms', 'node -e 0', 'RSS MiB']];
  const row = async (name: string, dataDirectory?: string) => {
    const { server, bareNode, residentMiB } = await measureStart(starts, dataDirectory);
    rows.push([name, server.toFixed(0), bareNode.toFixed(0), residentMiB.toFixed(0)]);
  };
  await row('an empty folder');
  using folder = temporaryDirectory('bench-data');
  const dataDirectory = join(folder.path, 'data');
  {
    await using server = await startApiServer({ dataDirectory });
    using generator = new LoadGenerator();
    const { kubeconfig } = server;
    await generator.run({ kubeconfig, protocol: 'h2', scenario: 'create', namespace: 'default', objects });
    await server.stop();
  }
  await row(`${objects} objects`, dataDirectory);
  print(`start, median of ${starts}`, rows);
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    );
  }
}

if (options.help) {
  console.log(usage);
} else {
  for (const target of options.kubeconfig) {
    if (target !== 'self') {
      await measureServer(target, target);
      continue;
    }
    if (wanted('start')) await measureStarts();
    if (!scenarioNames.some(wanted)) continue;
    await using server = await startApiServer();
    await measureServer('this server', server.kubeconfig);
  }
}
