import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { AdminClient } from '../../harness/admin-client.ts';
import { repositoryRoot } from '../../harness/api-server.ts';
import { inNamespace } from '../in-namespace.ts';
import { printTable } from '../print-table.ts';
import { whileWorking } from '../server-statistics.ts';

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

/** Measures one server by client-go: all jobs in turn, so many times, and prints a table of each time. */
export async function measureByClientGo(
  name: string,
  kubeconfig: string,
  { program, rounds }: { readonly program: string; readonly rounds: number },
): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const rows: (readonly string[])[] = [header];
    await inNamespace(kubeconfig, `client-go-${Date.now()}`, async (namespace) => {
      for (const [index, [title, job]] of jobs.entries()) {
        rows.push(await measured(program, kubeconfig, title, { ...job, namespace, prefix: `o${index}` }));
      }
    });
    printTable(`${name}, round ${round}`, rows);
  }
}

type NamedJob = Job & { readonly namespace: string; readonly prefix: string };

async function measured(program: string, kubeconfig: string, title: string, job: NamedJob): Promise<readonly string[]> {
  using generator = new ClientGo(program, kubeconfig);
  using client = new AdminClient(kubeconfig);
  const run = await generator.prepare(job);
  const { result, cpuSeconds, after } = await whileWorking(client, run);
  const { operations, failures, firstFailure, seconds, p50, p99 } = result;
  if (firstFailure !== undefined) console.error(`${title}: ${firstFailure}`);
  const cost = (cpuSeconds * 1e6) / operations;
  return [
    title,
    job.form === json ? 'JSON' : 'protobuf',
    String(operations),
    (operations / seconds).toFixed(operations < 1000 ? 1 : 0),
    p50.toFixed(2),
    p99.toFixed(2),
    cost.toFixed(cost < 1000 ? 1 : 0),
    (after.residentBytes / 2 ** 20).toFixed(0),
    String(failures),
  ];
}

/** Does a job that is not measured: it may take longer than an idle connection lives. */
async function done(program: string, kubeconfig: string, job: NamedJob): Promise<void> {
  using generator = new ClientGo(program, kubeconfig);
  const run = await generator.prepare(job);
  await run();
}

/** Informers of so many objects in each form: the cost of filling their caches, and the memory of the server after it. */
export async function measureInformers(
  kubeconfig: string,
  { program, objects }: { readonly program: string; readonly objects: number },
): Promise<void> {
  const rows: (readonly string[])[] = [header];
  await inNamespace(kubeconfig, `informers-${Date.now()}`, async (namespace) => {
    const of = (job: Job) => ({ ...job, namespace, prefix: 'o' });
    await done(program, kubeconfig, of({ ...creating, count: objects }));
    for (const form of [json, protobuf, json, protobuf]) {
      rows.push(await measured(program, kubeconfig, 'fill an informer', of({ ...filling, form })));
    }
  });
  printTable(`informers of ${objects} objects`, rows);
}

const creating = { do: 'create', form: json, workers: 64 } as const;
const filling = { do: 'informer', count: 1, workers: 1 } as const;

/** Latency of creates that begin at given rates, whether or not earlier ones have ended: at most 1,000 at a time. */
export async function measureRates(
  kubeconfig: string,
  { program, rates }: { readonly program: string; readonly rates: readonly number[] },
): Promise<void> {
  const rows: (readonly string[])[] = [['creates a second', '', 'done', 'at a time', 'p50 ms', 'p99 ms', 'failed']];
  await inNamespace(kubeconfig, `rates-${Date.now()}`, async (namespace) => {
    await done(program, kubeconfig, { ...creating, count: 20_000, namespace, prefix: 'warm-up' });
    for (const [index, rate] of rates.entries()) {
      using generator = new ClientGo(program, kubeconfig);
      const count = rate * RATE_SECONDS;
      const job = { ...creating, count, rate, workers: MOST_IN_FLIGHT, namespace, prefix: `o${index}` };
      const run = await generator.prepare(job);
      const { operations, seconds, inFlight, p50, p99, failures } = await run();
      const values = [operations / seconds, inFlight, p50, p99, failures];
      rows.push([String(rate), '', ...values.map((value) => value.toFixed(1))]);
    }
  });
  printTable('creates at given rates', rows);
}

const RATE_SECONDS = 5;
const MOST_IN_FLIGHT = 1_000;
