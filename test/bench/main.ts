/**
 * Measures servers over real TLS: ours in a process of its own, and any others by their kubeconfig, one after the other
 * in the same run. `npm run bench -- --help` tells the options.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AdminClient } from '../harness/admin-client.ts';
import { binary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { startBenchEtcd } from './bench-etcd.ts';
import { withWidgets } from './bench-kinds.ts';
import { inNamespace } from './in-namespace.ts';
import type { Job } from './load-generator.ts';
import { LoadProcess } from './load-process.ts';
import { percentile } from './measurement.ts';
import { comparePaired } from './paired.ts';
import { printTable } from './print-table.ts';
import { makerOf, type ScenarioName, scenarioNames } from './scenarios.ts';
import { readStatistics } from './server-statistics.ts';
import { measureStart } from './start-time.ts';
import { measureScale, type ScaleStore } from './storage-scale.ts';
import type { Protocol } from './transport.ts';

const usage = `npm run bench -- [--kubeconfig=FILE]... [--only=SCENARIO,...] [--objects=N] [--protocols=h2,http/1.1] [--starts=N] [--cold] [--etcd]
npm run bench -- storage [--stores=lmdb,etcd] [--sizes=10000,100000,500000] [--large]
npm run bench -- --paired=BEFORE[,AFTER] [--only=SCENARIO,...] [--batches=N] [--node-options="--FLAG..."] [--etcd]

Without --kubeconfig our own server is started and measured, its start included; with it, the servers named are measured
too ("self" stands for ours). Servers are warmed up first unless --cold is given. Scenarios: start, ${scenarioNames.join(', ')}.

With "storage" servers are filled with so many objects of 1 KiB (10 KiB with --large) and used; each is started again, and its memory compared with the
objects' JSON after its garbage was collected. etcd has to be installed for its part.

With --paired two programs (paths of .../bin/kube-apiserver.js; AFTER is the one built here) run at the same time and are
given short batches in turn. The same path twice is a control. --node-options are for AFTER only.

With --etcd each of our servers keeps its objects in an etcd of its own, whose CPU is not counted.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    kubeconfig: { type: 'string', multiple: true, default: ['self'] },
    only: { type: 'string', default: '' },
    objects: { type: 'string', default: '10000' },
    protocols: { type: 'string', default: 'h2,http/1.1' },
    starts: { type: 'string', default: '20' },
    cold: { type: 'boolean', default: false },
    paired: { type: 'string', default: '' },
    stores: { type: 'string', default: 'lmdb,etcd' },
    large: { type: 'boolean', default: false },
    etcd: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '10000,100000,500000' },
    batches: { type: 'string', default: '20' },
    'node-options': { type: 'string', default: '' },
  },
});
const wanted = (name: string) => options.only === '' || options.only.split(',').includes(name);
const objects = Number(options.objects);

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

async function measureScenario(generator: LoadProcess, job: Job): Promise<readonly string[]> {
  using client = new AdminClient(job.kubeconfig);
  await using load = await generator.prepare(job);
  const before = await readStatistics(client);
  const { operations, seconds, latencies, bytes, failures } = await load.measure();
  const after = await readStatistics(client);
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
async function warmUp(generator: LoadProcess, kubeconfig: string, protocol: Protocol): Promise<void> {
  const namespace = `bench-warm-up-${Date.now()}`;
  await inNamespace(kubeconfig, namespace, async () => {
    const kinds = ['create-pod', 'get-pod', 'create-widget', 'get-widget'] as const;
    for (const scenario of ['create', 'get', 'patch', 'apply', 'list-500', ...kinds.filter(wanted)] as const) {
      await generator.run({ kubeconfig, protocol, scenario, namespace, objects: 3_000 });
    }
  });
}

async function measureServer(name: string, kubeconfig: string): Promise<void> {
  await withWidgets(kubeconfig, () => measureScenarios(name, kubeconfig));
}

async function measureScenarios(name: string, kubeconfig: string): Promise<void> {
  using generator = new LoadProcess();
  const rows: (readonly string[])[] = [header];
  for (const protocol of options.protocols.split(',') as Protocol[]) {
    const namespace = `bench-${protocol.replace(/\W/g, '')}-${Date.now()}`;
    const make = (scenario: ScenarioName): Job => ({ kubeconfig, protocol, scenario, namespace, objects });
    if (!options.cold) await warmUp(generator, kubeconfig, protocol);
    await inNamespace(kubeconfig, namespace, async () => {
      for (const scenario of scenarioNames) {
        const isNeeded = scenarioNames.some((name) => wanted(name) && makerOf(name) === scenario);
        if (wanted(scenario)) rows.push(await measureScenario(generator, make(scenario)));
        else if (isNeeded) await generator.run(make(scenario));
      }
    });
  }
  printTable(name, rows);
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
    using generator = new LoadProcess();
    const { kubeconfig } = server;
    await generator.run({ kubeconfig, protocol: 'h2', scenario: 'create', namespace: 'default', objects });
    await server.stop();
  }
  await row(`${objects} objects`, dataDirectory);
  printTable(`start, median of ${starts}`, rows);
}

async function printPaired(): Promise<void> {
  const rows: (readonly string[])[] = [['scenario', '', 'before µs', 'after µs', 'ratio', 'quartiles']];
  const [before = '', after = binary] = options.paired.split(',');
  const results = comparePaired({
    binaries: [before, after],
    scenarios: scenarioNames.filter(wanted),
    batches: Number(options.batches),
    nodeOptions: options['node-options'].split(' ').filter((option) => option !== ''),
    onEtcd: options.etcd,
  });
  for await (const { scenario, before, after, ratios } of results) {
    const [lower, median, upper] = ratios.map((ratio) => ratio.toFixed(3));
    rows.push([scenario, '', before.toFixed(1), after.toFixed(1), median ?? '', `${lower}..${upper}`]);
    console.error(`${scenario}: ${median}`);
  }
  printTable(`CPU for an operation, ${options.batches} batches each`, rows);
}

if (options.help) {
  console.log(usage);
} else if (positionals.includes('storage')) {
  for (const store of options.stores.split(',') as ScaleStore[]) {
    for (const size of options.sizes.split(',').map(Number))
      await measureScale(store, { size, isLarge: options.large });
  }
} else if (options.paired !== '') {
  await printPaired();
} else {
  for (const target of options.kubeconfig) {
    if (target !== 'self') {
      await measureServer(target, target);
      continue;
    }
    if (wanted('start')) await measureStarts();
    if (!scenarioNames.some(wanted)) continue;
    await using etcd = options.etcd ? await startBenchEtcd() : undefined;
    await using server = await startApiServer(etcd === undefined ? {} : { args: [`--etcd-servers=${etcd.url}`] });
    await measureServer(etcd === undefined ? 'this server' : 'this server, on etcd', server.kubeconfig);
  }
}
