import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer } from '../harness/api-server.ts';
import { startBenchEtcd } from './bench-etcd.ts';
import { defineWidgets } from './bench-kinds.ts';
import { inNamespace, makeNamespace, removeNamespace } from './in-namespace.ts';
import type { Job } from './load-generator.ts';
import { LoadProcess } from './load-process.ts';
import { percentile } from './measurement.ts';
import { makerOf, type ScenarioName } from './scenarios.ts';
import { whileWorking } from './server-statistics.ts';

/** The measure by which two programs are compared. */
export interface PairedOptions {
  /** Paths of two programs; the same one twice is a control, which shows the noise. */
  readonly binaries: readonly [before: string, after: string];
  readonly scenarios: readonly ScenarioName[];
  /** Batches of each program for each scenario. */
  readonly batches: number;
  /** Flags of Node itself, for the second program only. */
  readonly nodeOptions: readonly string[];
  /** Each has an etcd of its own instead of the embedded store. */
  readonly onEtcd: boolean;
}

/** One scenario of both programs; µs of the server's CPU for an operation. */
export interface PairedResult {
  readonly scenario: ScenarioName;
  /** Medians over all batches. */
  readonly before: number;
  readonly after: number;
  /** Quartiles of after / before over neighbouring batches. */
  readonly ratios: readonly [lower: number, median: number, upper: number];
}

/** As `npm start` has it. */
const flags = ['--authorization-mode=RBAC'];

/** Objects of one batch. Long enough for the clock, short enough that both programs meet the same weather. */
const batchSizes: Readonly<Record<ScenarioName, number>> = {
  'list-all': 10_000,
  'create-large': 1_000,
  create: 2_000,
  get: 4_000,
  list: 10_000,
  'list-500': 10_000,
  'watch-list': 10_000,
  patch: 2_000,
  apply: 2_000,
  'watch-100': 200,
  'watch-1000': 50,
  'create-pod': 1_000,
  'get-pod': 4_000,
  'list-pod': 5_000,
  'create-widget': 2_000,
  'get-widget': 4_000,
  'list-widget': 10_000,
};

/** Batches before the first one that counts: compilation goes on for some 20,000 operations. */
const warmUpBatches = 8;

/**
 * Runs both programs at the same time, with short batches in turn: a disturbance of the machine hits both. Yields each
 * scenario as soon as it is done.
 */
export async function* comparePaired(options: PairedOptions): AsyncGenerator<PairedResult> {
  const [before, after] = options.binaries;
  await using etcds = new AsyncDisposableStack();
  const argsOfOne = async () =>
    options.onEtcd ? [...flags, `--etcd-servers=${etcds.use(await startBenchEtcd()).url}`] : flags;
  await using first = await startApiServer({ binary: before, args: await argsOfOne() });
  await using second = await startApiServer({
    binary: after,
    args: await argsOfOne(),
    nodeOptions: options.nodeOptions,
  });
  using load = new LoadProcess();
  using one = new Side(load, first.kubeconfig);
  using other = new Side(load, second.kubeconfig);
  const sides = [one, other] as const;
  for (const scenario of options.scenarios) {
    for (const side of sides) await side.prepare(scenario);
    for (let batch = 0; batch < warmUpBatches; batch++) {
      for (const side of sides) await side.batch(scenario);
    }
    yield await compare(sides, scenario, options.batches);
    for (const side of sides) await side.cleanUp();
  }
}

async function compare(
  [first, second]: readonly [Side, Side],
  scenario: ScenarioName,
  batches: number,
): Promise<PairedResult> {
  const before: number[] = [];
  const after: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    // The programs begin in turn: the second of a pair gets the load generator's heap as the first one left it.
    if (batch % 2 === 0) before.push(await first.batch(scenario));
    after.push(await second.batch(scenario));
    if (batch % 2 === 1) before.push(await first.batch(scenario));
  }
  const ratios = after.map((value, index) => value / (before[index] ?? Number.NaN));
  return {
    scenario,
    before: quantile(before, 0.5),
    after: quantile(after, 0.5),
    ratios: [quantile(ratios, 0.25), quantile(ratios, 0.5), quantile(ratios, 0.75)],
  };
}

function quantile(values: readonly number[], share: number): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    share,
  );
}

/** One of the two servers, with a namespace for the scenario that is measured. */
class Side implements Disposable {
  readonly #load: LoadProcess;
  readonly #kubeconfig: string;
  readonly #client: AdminClient;
  #namespace = '';
  #made = 0;

  constructor(load: LoadProcess, kubeconfig: string) {
    this.#load = load;
    this.#kubeconfig = kubeconfig;
    this.#client = new AdminClient(kubeconfig);
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  /** Makes the objects of the scenario. */
  async prepare(scenario: ScenarioName): Promise<void> {
    this.#namespace = await this.#newNamespace();
    await defineWidgets(this.#client);
    const maker = makerOf(scenario);
    if (scenario !== maker) await this.#load.run(this.#job(maker, batchSizes[scenario]));
  }

  /** µs of the server's CPU for one operation. */
  async batch(scenario: ScenarioName): Promise<number> {
    if (scenario !== makerOf(scenario)) return this.#measure(this.#job(scenario, batchSizes[scenario]));
    // Names are the same in every batch, so each gets a namespace.
    return inNamespace(this.#kubeconfig, this.#nextName(), (namespace) =>
      this.#measure({ ...this.#job(scenario, batchSizes[scenario]), namespace }),
    );
  }

  async cleanUp(): Promise<void> {
    await removeNamespace(this.#client, this.#namespace);
  }

  async #measure(job: Job): Promise<number> {
    await using load = await this.#load.prepare(job);
    const { result, cpuSeconds } = await whileWorking(this.#client, () => load.measure());
    const { operations, failures } = result;
    if (failures > 0) throw new Error(`${failures} of ${operations} operations of ${job.scenario} failed`);
    return (cpuSeconds * 1e6) / operations;
  }

  #job(scenario: ScenarioName, objects: number): Job {
    return { kubeconfig: this.#kubeconfig, protocol: 'h2', scenario, namespace: this.#namespace, objects };
  }

  async #newNamespace(): Promise<string> {
    const name = this.#nextName();
    await makeNamespace(this.#client, name);
    return name;
  }

  #nextName(): string {
    return `bench-paired-${this.#made++}`;
  }
}
