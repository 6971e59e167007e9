import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { AdminClient } from '../../harness/admin-client.ts';
import { repositoryRoot } from '../../harness/api-server.ts';
import { inNamespace } from '../in-namespace.ts';
import { percentile } from '../measurement.ts';
import { printTable } from '../print-table.ts';
import { type Worked, whileWorking } from '../server-statistics.ts';
import type { StreamRecord } from './stream-probe.ts';

const folder = join(repositoryRoot, 'test/bench/client-go/load');
const json = 'application/json';
const protobuf = 'application/vnd.kubernetes.protobuf';

/** See the job of load/main.go. */
interface Job {
  readonly do: 'create' | 'get' | 'list' | 'patch' | 'apply' | 'watch' | 'informer';
  readonly form: string;
  readonly plain?: boolean;
  readonly count: number;
  readonly workers: number;
  /** Operations begun each second; the default is one as soon as another ends. */
  readonly rate?: number;
  readonly limit?: number;
  readonly watchers?: number;
}

interface Done {
  readonly operations: number;
  readonly failures: number;
  readonly firstFailure?: string;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** The largest number of operations at a time. */
  readonly inFlight: number;
}

/** The reason why there is no generator of client-go here; undefined if there is one. */
export function clientGoMissing(): string | undefined {
  const { status } = spawnSync('go', ['version']);
  return status === 0 ? undefined : 'there is no Go on this machine: no load of client-go';
}

/** Compiles the generator, whose modules Go fetches. Throws if it cannot. */
export function buildClientGo(directory: string): string {
  const program = join(directory, 'client-go-load');
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { status, stderr } = spawnSync('go', ['build', '-trimpath', '-o', program, '.'], { cwd: folder, env });
  if (status !== 0) throw new Error(`the load generator does not compile: ${stderr}`);
  return program;
}

/** The generator as a process: a job at a time. */
class ClientGo implements Disposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(program: string, kubeconfig: string) {
    this.#child = spawn(program, [kubeconfig], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#reader = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Prepares a job. The returned function does it. */
  async prepare(job: object): Promise<() => Promise<Done>> {
    await this.#ask(JSON.stringify(job));
    return async () => JSON.parse(await this.#ask('go')) as Done;
  }

  async #ask(line: string): Promise<string> {
    this.#child.stdin?.write(`${line}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the load generator has ended');
    return value;
  }

  [Symbol.dispose](): void {
    this.#reader.close();
    this.#child.stdin?.end();
  }
}

const jobs: readonly (readonly [name: string, job: Job])[] = [
  ['create', { do: 'create', form: json, count: 10_000, workers: 32 }],
  ['create', { do: 'create', form: protobuf, count: 2_000, workers: 32 }],
  ['create, 1,000 at a time', { do: 'create', form: json, count: 5_000, workers: 1_000 }],
  ['get', { do: 'get', form: json, count: 20_000, workers: 32 }],
  ['get', { do: 'get', form: protobuf, count: 20_000, workers: 32 }],
  ['list', { do: 'list', form: json, count: 20, workers: 2 }],
  ['list, not compressed', { do: 'list', form: json, plain: true, count: 20, workers: 2 }],
  ['list', { do: 'list', form: protobuf, count: 20, workers: 2 }],
  ['list, not compressed', { do: 'list', form: protobuf, plain: true, count: 20, workers: 2 }],
  ['page of 500', { do: 'list', form: json, count: 200, workers: 4, limit: 500 }],
  ['page of 500, not compressed', { do: 'list', form: json, plain: true, count: 200, workers: 4, limit: 500 }],
  ['page of 500', { do: 'list', form: protobuf, count: 200, workers: 4, limit: 500 }],
  ['merge patch', { do: 'patch', form: json, count: 5_000, workers: 32 }],
  ['server-side apply', { do: 'apply', form: json, count: 2_000, workers: 16 }],
  ['event at one of 100', { do: 'watch', form: json, count: 1_000, workers: 4, watchers: 100 }],
  ['event at one of 100', { do: 'watch', form: protobuf, count: 1_000, workers: 4, watchers: 100 }],
  ['event at one of 1,000', { do: 'watch', form: json, count: 200, workers: 4, watchers: 1_000 }],
];

const header = ['operation of client-go', 'form', 'ops', 'ops/s', 'p50 ms', 'p99 ms', 'cpu µs/op', 'RSS MiB', 'failed'];

/** A number of passes over all jobs. */
interface Rounds {
  /** The compiled generator. */
  readonly program: string;
  readonly rounds: number;
}

/** Measures one server by client-go: all jobs in turn, repeated, and prints a table of each time. */
export async function measureByClientGo(name: string, kubeconfig: string, { program, rounds }: Rounds): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const rows: (readonly string[])[] = [header];
    await inNamespace(kubeconfig, `client-go-${Date.now()}`, async (namespace) => {
      for (const [index, [title, job]] of jobs.entries()) {
        rows.push(rowOf(title, await measured(program, kubeconfig, title, { ...job, namespace, prefix: `o${index}` })));
      }
    });
    printTable(`${name}, round ${round}`, rows);
  }
}

/** Measures our server and another one by client-go: each job on ours and then on the other. */
export async function compareByClientGo(
  kubeconfigs: { readonly ours: string; readonly reference: string },
  { program, rounds }: Rounds,
): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const rows: (readonly string[])[] = [
      ['operation of client-go', 'form', 'cpu µs/op', 'reference', 'ratio', 'failed'],
    ];
    await inNamespace(kubeconfigs.ours, `client-go-${Date.now()}`, (namespace) =>
      inNamespace(kubeconfigs.reference, namespace, async () => {
        for (const [index, [title, job]] of jobs.entries()) {
          const named = { ...job, namespace, prefix: `o${index}` };
          const ours = await measured(program, kubeconfigs.ours, title, named);
          const reference = await measured(program, kubeconfigs.reference, title, named);
          rows.push([
            title,
            formOf(job),
            costOf(ours),
            costOf(reference),
            (ours.cost / reference.cost).toFixed(3),
            String(ours.result.failures + reference.result.failures),
          ]);
        }
      }),
    );
    printTable(`this server and the reference, round ${round}`, rows);
  }
}

type NamedJob = Job & { readonly namespace: string; readonly prefix: string };

interface Measured extends Worked<Done> {
  readonly job: Job;
  /** Microseconds of the server's CPU for an operation. */
  readonly cost: number;
}

async function measured(program: string, kubeconfig: string, title: string, job: NamedJob): Promise<Measured> {
  using generator = new ClientGo(program, kubeconfig);
  using client = new AdminClient(kubeconfig);
  const run = await generator.prepare(job);
  const worked = await whileWorking(client, run);
  const { operations, firstFailure } = worked.result;
  if (firstFailure !== undefined) console.error(`${title}: ${firstFailure}`);
  return { ...worked, job, cost: (worked.cpuSeconds * 1e6) / operations };
}

function formOf({ form }: Job): string {
  return form === json ? 'JSON' : 'protobuf';
}

function costOf({ cost }: Measured): string {
  return cost.toFixed(cost < 1000 ? 1 : 0);
}

function rowOf(title: string, measured: Measured): readonly string[] {
  const { operations, failures, seconds, p50, p99 } = measured.result;
  return [
    title,
    formOf(measured.job),
    String(operations),
    (operations / seconds).toFixed(operations < 1000 ? 1 : 0),
    p50.toFixed(2),
    p99.toFixed(2),
    costOf(measured),
    (measured.after.residentBytes / 2 ** 20).toFixed(0),
    String(failures),
  ];
}

/** Does a job that is not measured: it may take longer than an idle connection lives. */
async function done(program: string, kubeconfig: string, job: NamedJob): Promise<void> {
  using generator = new ClientGo(program, kubeconfig);
  const run = await generator.prepare(job);
  await run();
}

/**
 * Informers of this many objects in each form: the cost of filling their caches, and the memory of the server after it.
 */
export async function measureInformers(
  kubeconfig: string,
  { program, objects }: { readonly program: string; readonly objects: number },
): Promise<void> {
  const rows: (readonly string[])[] = [header];
  await inNamespace(kubeconfig, `informers-${Date.now()}`, async (namespace) => {
    const of = (job: Job) => ({ ...job, namespace, prefix: 'o' });
    await done(program, kubeconfig, of({ ...creating, count: objects }));
    for (const form of [json, protobuf, json, protobuf]) {
      const title = 'fill an informer';
      rows.push(rowOf(title, await measured(program, kubeconfig, title, of({ ...filling, form }))));
    }
  });
  printTable(`informers of ${objects} objects`, rows);
}

const creating = { do: 'create', form: json, workers: 64 } as const;
const filling = { do: 'informer', count: 1, workers: 1 } as const;

/** The measure of given rates. */
export interface RateOptions {
  readonly program: string;
  readonly rates: readonly number[];
  /** The file of the probe in the server; undefined for a server without it. */
  readonly probe: string | undefined;
}

/**
 * Latency of creates that begin at given rates, whether or not earlier ones have ended: at most 1,000 at a time. The
 * columns of the server leave out the client, which shares the processors. The column *own* also leaves out the time
 * for which the server's main thread had no processor.
 */
export async function measureRates(kubeconfig: string, { program, rates, probe }: RateOptions): Promise<void> {
  const rows: (readonly string[])[] = [
    ['creates a second', '', 'done', 'at a time', 'p50 ms', 'p99 ms', 'failed', 'server p50', 'p99', 'own p99'],
  ];
  await inNamespace(kubeconfig, `rates-${Date.now()}`, async (namespace) => {
    await done(program, kubeconfig, { ...creating, count: 20_000, namespace, prefix: 'warm-up' });
    if (probe !== undefined) await recordsOf(probe);
    for (const [index, rate] of rates.entries()) {
      const count = rate * RATE_SECONDS;
      const job = { ...creating, count, rate, workers: MAX_IN_FLIGHT, namespace, prefix: `o${index}` };
      const { operations, seconds, inFlight, p50, p99, failures } = await rateResult(program, kubeconfig, job);
      const values = [operations / seconds, inFlight, p50, p99, failures];
      const inServer = probe === undefined ? [] : staysOf(await recordsOf(probe));
      rows.push([String(rate), '', ...[...values, ...inServer].map((value) => value.toFixed(1))]);
    }
  });
  printTable('creates at given rates', rows);
}

/** The connections of the generator have ended with it. */
async function rateResult(program: string, kubeconfig: string, job: NamedJob): Promise<Done> {
  using generator = new ClientGo(program, kubeconfig);
  const run = await generator.prepare(job);
  return await run();
}

/** Takes the records of the generator's connections out of the file, which the server writes when they end. */
async function recordsOf(probe: string): Promise<StreamRecord[]> {
  for (let i = 0; i < 100; i++) {
    const lines = readFileSync(probe, 'utf8').split('\n');
    const records = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as StreamRecord);
    if (records.length >= CONNECTIONS) {
      writeFileSync(probe, '');
      return records;
    }
    await setTimeout(50);
  }
  throw new Error('the probe of the server has recorded too little');
}

/** p50, p99, and p99 without waits for a processor. */
function staysOf(records: readonly StreamRecord[]): readonly number[] {
  const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
  const served = sorted(records.flatMap((record) => record.served));
  const own = sorted(records.flatMap(({ served, waited }) => served.map((time, i) => time - (waited[i] ?? 0))));
  return [percentile(served, 0.5), percentile(served, 0.99), percentile(own, 0.99)];
}

const RATE_SECONDS = 5;
const MAX_IN_FLIGHT = 1_000;
/** Of the generator. */
const CONNECTIONS = 4;
