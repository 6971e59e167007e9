/**
 * Measures servers over real TLS: ours in a process of its own, and any others by their kubeconfig, one after the other
 * in the same run. `npm run bench -- --help` lists the options.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binary, type StartOptions, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { startBenchEtcd } from './bench-etcd.ts';
import { withWidgets } from './bench-kinds.ts';
import {
  buildClientGo,
  clientGoMissing,
  compareByClientGo,
  measureByClientGo,
  measureInformers,
  measureRates,
} from './client-go/client-go-load.ts';
import { startReference } from './client-go/reference-server.ts';
import { STREAM_PROBE_FILE } from './client-go/stream-probe.ts';
import { overSecondProtocol, parseCommandLine, usage } from './command-line.ts';
import { measureDefinitions } from './definition-cost.ts';
import { inNamespace } from './in-namespace.ts';
import type { Job } from './load-generator.ts';
import { LoadProcess } from './load-process.ts';
import { machineSpeed, speedLine } from './machine-speed.ts';
import { header, measureScenario, rowOf } from './measure-scenario.ts';
import { comparePaired } from './paired.ts';
import { printTable } from './print-table.ts';
import { measureRules } from './rule-cost.ts';
import { makerOf, type ScenarioName, scenarioNames } from './scenarios.ts';
import { measureStart, type StartTimes } from './start-time.ts';
import { measureScale, type ScaleStore } from './storage-scale.ts';
import type { Protocol } from './transport.ts';

const { values: options, positionals } = parseCommandLine();
const wanted = (name: string) => options.only === '' || options.only.split(',').includes(name);
const objects = Number(options.objects);
const warmUp = Number(options['warm-up']);

async function measureServer(name: string, kubeconfig: string): Promise<void> {
  await withWidgets(kubeconfig, () => measureScenarios(name, kubeconfig));
}

async function measureScenarios(name: string, kubeconfig: string): Promise<void> {
  using generator = new LoadProcess();
  const rows: (readonly string[])[] = [header];
  for (const [index, protocol] of (options.protocols.split(',') as Protocol[]).entries()) {
    // For a second protocol all is compiled but itself.
    const between = index === 0 ? warmUp : warmUp / 4;
    const namespace = `bench-${protocol.replace(/\W/g, '')}-${Date.now()}`;
    const make = (scenario: ScenarioName): Job => ({ kubeconfig, protocol, scenario, namespace, objects });
    const isMeasured = (name: ScenarioName) =>
      wanted(name) && (index === 0 || options.only !== '' || overSecondProtocol.includes(name));
    await inNamespace(kubeconfig, namespace, async () => {
      for (const scenario of scenarioNames) {
        const isNeeded = scenarioNames.some((name) => isMeasured(name) && makerOf(name) === scenario);
        if (isMeasured(scenario)) rows.push(rowOf(await measureScenario(generator, make(scenario), between)));
        else if (isNeeded) await generator.run(make(scenario));
      }
    });
  }
  printTable(name, rows);
}

/** Starts now. The table is printed at the end, when the last servers have been idle long enough. */
async function measureStarts(): Promise<AsyncDisposable & { print(): Promise<void> }> {
  const starts = Number(options.starts);
  const rows: (readonly string[])[] = [['start on', 'ms', 'node -e 0', 'RSS MiB when ready', 'after a minute']];
  const row = async (name: string, { server, bareNode, residentMiB, idleMiB }: StartTimes) => {
    const values = [server, bareNode, residentMiB, await idleMiB];
    rows.push([name, ...values.map((value) => value.toFixed(0))]);
  };
  const onEmpty = await measureStart(starts);
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryDirectory('bench-data'));
  const dataDirectory = join(folder.path, 'data');
  {
    await using server = await startApiServer({ dataDirectory });
    using generator = new LoadProcess();
    const { kubeconfig } = server;
    await generator.run({ kubeconfig, protocol: 'h2', scenario: 'create', namespace: 'default', objects });
    await server.stop();
  }
  const onFilled = await measureStart(starts, dataDirectory);
  // The servers of the last starts idle for a minute, on the objects of the folder.
  const kept = resources.move();
  return {
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
    async print() {
      await row('an empty folder', onEmpty);
      await row(`${objects} objects`, onFilled);
      printTable(`start, median of ${starts}`, rows);
    },
  };
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

async function measureTargets(): Promise<void> {
  for (const target of options.kubeconfig ?? ['self']) {
    if (target !== 'self') {
      await measureServer(target, target);
      continue;
    }
    await using starts = wanted('start') ? await measureStarts() : undefined;
    if (scenarioNames.some(wanted)) await measureOwnServer();
    await starts?.print();
  }
}

async function measureOwnServer(): Promise<void> {
  await using etcd = options.etcd ? await startBenchEtcd() : undefined;
  await using server = await startApiServer(etcd === undefined ? {} : { args: [`--etcd-servers=${etcd.url}`] });
  await measureServer(etcd === undefined ? 'this server' : 'this server, on etcd', server.kubeconfig);
}

/** The load of client-go, where there is Go. */
async function measureClientGo(): Promise<void> {
  const missing = clientGoMissing();
  if (missing !== undefined) {
    console.log(missing);
    return;
  }
  using folder = temporaryDirectory('bench-client-go');
  const program = buildClientGo(folder.path);
  const rounds = Number(options.rounds);
  if (options.reference) {
    await using server = await startApiServer();
    await using reference = await startReference(folder.path, server);
    await compareByClientGo({ ours: server.kubeconfig, reference: reference.kubeconfig }, { program, rounds });
    return;
  }
  for (const target of options.kubeconfig ?? ['self']) {
    const informers = Number(options.informers);
    const rates = options.rates.split(',').map(Number);
    const isProbed = target === 'self' && options.rates !== '';
    const probe = isProbed ? join(folder.path, 'streams.jsonl') : undefined;
    await using server = target === 'self' ? await startApiServer(probe === undefined ? {} : probed(probe)) : undefined;
    const kubeconfig = server?.kubeconfig ?? target;
    if (informers > 0) await measureInformers(kubeconfig, { program, objects: informers });
    else if (options.rates !== '') await measureRates(kubeconfig, { program, rates, probe });
    else await measureByClientGo(target, kubeconfig, { program, rounds });
  }
}

/** A server that records how long it serves each request. */
function probed(file: string): StartOptions {
  writeFileSync(file, '');
  const module = fileURLToPath(new URL('client-go/stream-probe.ts', import.meta.url));
  return { nodeOptions: ['--import', module], env: { [STREAM_PROBE_FILE]: file } };
}

if (options.help) {
  console.log(usage);
} else if (positionals.includes('storage')) {
  for (const store of options.stores.split(',') as ScaleStore[]) {
    for (const size of options.sizes.split(',').map(Number)) {
      await measureScale(store, { size, isLarge: options.large });
    }
  }
} else if (positionals.includes('definitions')) {
  const nodeOptions = options['node-options'].split(' ').filter((option) => option !== '');
  const before = await machineSpeed();
  for (const binary of options.binaries.split(',')) {
    const given = binary === '' ? {} : { binary };
    await measureDefinitions({
      count: Number(options.definitions),
      bytes: Number(options.bytes),
      nodeOptions,
      ...given,
    });
  }
  console.log(`\n${speedLine(before, await machineSpeed())}`);
} else if (positionals.includes('client-go')) {
  await measureClientGo();
} else if (positionals.includes('cel')) {
  const { measureCel } = await import('./cel-cost.ts');
  measureCel();
} else if (positionals.includes('planes')) {
  const { measurePlanes } = await import('./planes/plane-cost.ts');
  const { measureSnapshots } = await import('./planes/snapshot-cost.ts');
  const { measureControllers } = await import('./planes/controller-cost.ts');
  const before = await machineSpeed();
  await measurePlanes(Number(options.starts));
  await measureSnapshots(Number(options.starts));
  await measureControllers(5);
  console.log(`\n${speedLine(before, await machineSpeed())}`);
} else if (positionals.includes('tenants')) {
  const { measureTenants } = await import('./tenants/tenant-cost.ts');
  await measureTenants({
    binaries: options.binaries.split(','),
    only: options.noise,
    seconds: Number(options.seconds),
    both: !options.fair,
  });
} else if (positionals.includes('audit')) {
  const { measureAudit } = await import('./audit/audit-cost.ts');
  await measureAudit(Number(options.batches));
} else if (positionals.includes('rules')) {
  await measureRules(Number(options.batches));
} else if (options.paired !== '') {
  await printPaired();
} else {
  const before = await machineSpeed();
  await measureTargets();
  if (options.only === '') await measureClientGo();
  console.log(`\n${speedLine(before, await machineSpeed())}`);
}
