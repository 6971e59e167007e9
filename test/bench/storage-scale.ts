import { join } from 'node:path';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { startBenchEtcd } from './bench-etcd.ts';
import { makeNamespace } from './in-namespace.ts';
import { LoadProcess } from './load-process.ts';
import { percentile } from './measurement.ts';
import { printTable } from './print-table.ts';
import type { ScenarioName } from './scenarios.ts';
import { inspectable, memoryAfterCollection, type ServerMemory } from './server-memory.ts';
import { readStatistics, type ServerStatistics } from './server-statistics.ts';

/** The store of the objects. */
export type ScaleStore = 'lmdb' | 'etcd';

/** The number of objects of 1 KiB, or of 10 KiB. */
export interface ScaleSize {
  readonly size: number;
  readonly isLarge: boolean;
}

/** Objects of a namespace, however many there are in all. */
const perNamespace = 1_000;
/** Half a million objects are decoded in half a minute on a busy machine. */
const startDeadline = 120_000;
const header = ['step', '', 'ops', 'ops/s', 'cpu µs/op', 'p50 ms', 'p99 ms', 'loop p99 ms', 'loop max ms', 'failed'];

/** Fills a server with ConfigMaps, measures operations of clients, starts it again, and measures its memory. */
export async function measureScale(store: ScaleStore, { size, isLarge }: ScaleSize, binary?: string): Promise<void> {
  await using etcd = store === 'etcd' ? await startBenchEtcd() : undefined;
  using folder = temporaryDirectory('bench-scale');
  const start = () =>
    startApiServer({
      dataDirectory: join(folder.path, 'data'),
      nodeOptions: inspectable,
      startDeadline,
      args: ['--authorization-mode=RBAC', ...(etcd === undefined ? [] : [`--etcd-servers=${etcd.url}`])],
      ...(binary === undefined ? {} : { binary }),
    });
  const memory: string[] = [];
  let empty: ServerMemory;
  let wireBytes: number;
  {
    await using server = await start();
    empty = await memoryAfterCollection(server);
    const { rows, listBytes } = await fillAndUse(server, { size, isLarge });
    wireBytes = listBytes;
    printTable(`${store}, ${size} objects of ${Math.round(listBytes / size)} bytes`, [header, ...rows]);
    memory.push(growth('after all this', empty, await memoryAfterCollection(server), wireBytes));
    await server.stop();
  }
  const begun = performance.now();
  await using again = await start();
  memory.push(`start: ${(performance.now() - begun).toFixed(0)} ms`);
  memory.push(growth('after the start', empty, await memoryAfterCollection(again), wireBytes));
  for (const line of memory) console.log(line);
  await again.stop();
}

async function fillAndUse(server: ApiServer, { size, isLarge }: ScaleSize) {
  using load = new LoadProcess();
  const namespaces = Array.from({ length: Math.ceil(size / perNamespace) }, (_, index) => `scale-${index}`);
  {
    using client = new AdminClient(server.kubeconfig);
    for (const namespace of namespaces) await makeNamespace(client, namespace);
  }
  const some = namespaces.slice(0, 5);
  const rows: (readonly string[])[] = [];
  let listBytes = 0;
  const steps: readonly (readonly [ScenarioName, readonly string[]])[] = [
    [isLarge ? 'create-large' : 'create', namespaces],
    ['get', some],
    ['patch', some],
    ['list', some],
    ['list-all', some.slice(0, 1)],
    ['watch-100', some.slice(0, 1)],
  ];
  for (const [scenario, where] of steps) {
    const { row, bytes } = await runStep(load, server.kubeconfig, { scenario, namespaces: where });
    rows.push(row);
    if (scenario === 'list-all') listBytes = bytes;
  }
  return { rows, listBytes };
}

interface Step {
  readonly scenario: ScenarioName;
  readonly namespaces: readonly string[];
}

/** One step in some namespaces, as one row; `bytes` are those of one operation. */
async function runStep(load: LoadProcess, kubeconfig: string, { scenario, namespaces }: Step) {
  const latencies: number[] = [];
  const total = { operations: 0, seconds: 0, bytes: 0, failures: 0 };
  await using stack = new AsyncDisposableStack();
  // The event loop's delays are those since the last look, so that there is one look at each end of the step.
  let before: ServerStatistics | undefined;
  for (const namespace of namespaces) {
    const prepared = stack.use(
      await load.prepare({ kubeconfig, protocol: 'h2', scenario, namespace, objects: perNamespace }),
    );
    before ??= await statisticsOf(kubeconfig);
    const measured = await prepared.measure();
    for (const latency of measured.latencies) latencies.push(latency);
    total.operations += measured.operations;
    total.seconds += measured.seconds;
    total.bytes += measured.bytes;
    total.failures += measured.failures;
  }
  const after = await statisticsOf(kubeconfig);
  const cpuSeconds = after.cpuSeconds - (before?.cpuSeconds ?? Number.NaN);
  latencies.sort((a, b) => a - b);
  const row = [
    scenario,
    '',
    String(total.operations),
    (total.operations / total.seconds).toFixed(total.operations / total.seconds < 100 ? 1 : 0),
    ((cpuSeconds * 1e6) / total.operations).toFixed(1),
    percentile(latencies, 0.5).toFixed(1),
    percentile(latencies, 0.99).toFixed(1),
    after.eventLoopDelayP99?.toFixed(1) ?? '-',
    after.eventLoopDelayMax?.toFixed(1) ?? '-',
    String(total.failures),
  ];
  return { row, bytes: total.bytes / total.operations };
}

/** On a separate connection: an unused one is closed during a long step. */
async function statisticsOf(kubeconfig: string): Promise<ServerStatistics> {
  using client = new AdminClient(kubeconfig);
  return await readStatistics(client);
}

/** Resident memory above that of an empty server, and its ratio to the JSON of the objects. */
function growth(when: string, empty: ServerMemory, full: ServerMemory, wireBytes: number): string {
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  const own = full.own - empty.own;
  return (
    `memory ${when}: ${mebibytes(full.own)} own (heap ${mebibytes(full.heap)}, buffers ${mebibytes(full.buffers)}), ` +
    `${mebibytes(full.mapped)} of files; grown by ${mebibytes(own)} and ` +
    `${mebibytes(full.mapped - empty.mapped)}, ${(own / wireBytes).toFixed(2)} × the JSON of all objects (${mebibytes(wireBytes)})`
  );
}
