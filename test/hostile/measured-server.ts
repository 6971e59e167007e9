import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readCredentials } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { type Attacker, type HostileCase, type HostileRequest, type HostileResponse, MIB } from './hostile-case.ts';
import { HttpsAttacker } from './https-attacker.ts';
import { LivezProber } from './livez-prober.ts';

/** The cost of a case for the server. */
export interface Measurement {
  readonly response: HostileResponse;
  readonly sentBytes: number;
  /** Milliseconds of CPU of the main thread, from the request to the end of its response. */
  readonly cpu: number;
  /** The longest hold of the event loop, in milliseconds of CPU. */
  readonly hold: number;
  /** Mebibytes by which the resident memory grew at most. */
  readonly memory: number;
  /** Milliseconds that requests for /livez took beside it: the 99th percentile and the longest. */
  readonly livez: { readonly p99: number; readonly max: number };
}

/** Where everything is allowed there are no anonymous requests. CBOR, shards and some kinds need their gates. */
const GATES = [
  ...['CBORServingAndStorage', 'ClusterTrustBundle', 'StorageVersionAPI', 'StorageVersionMigrator'],
  ...['DRADeviceTaints', 'DRADeviceTaintRules', 'DRAResourcePoolStatus', 'CoordinatedLeaderElection'],
  'ShardedListAndWatch',
];
const FLAGS = [`--feature-gates=${GATES.map((gate) => `${gate}=true`).join()}`, '--runtime-config=api/all=true'];

/** Without a configuration of authorizers. */
const AUTHORIZATION = '--authorization-mode=Node,RBAC';

const recorder = fileURLToPath(new URL('./hold-recorder.mjs', import.meta.url));

/**
 * The real server in a process of its own, with its main thread under measurement. CPU comes from the kernel's own
 * count of the thread (`schedstat`, nanoseconds): a process with a held loop reports itself late, and wall time
 * includes other processes on the machine. `hold-recorder.mjs` reports the longest hold.
 */
export class MeasuredServer implements AsyncDisposable {
  readonly attacker: Attacker;
  readonly #server: ApiServer;
  readonly #directory: ReturnType<typeof temporaryDirectory>;
  readonly #holds: string;
  #names = 0;

  private constructor(server: ApiServer, directory: ReturnType<typeof temporaryDirectory>) {
    this.#server = server;
    this.#directory = directory;
    this.#holds = join(directory.path, 'holds');
    this.attacker = new HttpsAttacker(server.port, readCredentials(server.kubeconfig));
  }

  static async start(args: readonly string[] = []): Promise<MeasuredServer> {
    const directory = temporaryDirectory('hostile');
    const holds = join(directory.path, 'holds');
    writeFileSync(holds, '');
    process.env['HOLD_FILE'] = holds;
    const isConfigured = args.some((flag) => flag.startsWith('--authorization-config='));
    try {
      const dataDirectory = join(directory.path, 'data');
      const server = await startApiServer({
        args: [...FLAGS, ...(isConfigured ? [] : [AUTHORIZATION]), ...args],
        dataDirectory,
        nodeOptions: [`--import=${recorder}`],
      });
      return new MeasuredServer(server, directory);
    } finally {
      delete process.env['HOLD_FILE'];
    }
  }

  /** Runs a case without measuring it. */
  async run(hostile: HostileCase): Promise<{ readonly response: HostileResponse; readonly sentBytes: number }> {
    for (const request of hostile.before ?? []) await this.#prepare(request);
    return this.#attack(hostile);
  }

  async measure(hostile: HostileCase): Promise<Measurement> {
    for (const request of hostile.before ?? []) await this.#prepare(request);
    await this.#quiet();
    const prober = new LivezProber(this.#server.port);
    await prober.warm();
    const before = { cpu: this.#cpu(), memory: this.#memory('VmRSS') };
    truncateSync(this.#holds);
    this.#resetPeak();
    const { response, sentBytes } = await this.#attack(hostile);
    const cpu = this.#cpu() - before.cpu;
    const livez = prober.figures();
    await prober[Symbol.asyncDispose]();
    // Informers work on after the response.
    await this.#quiet();
    const memory = this.#memory('VmHWM') - before.memory;
    return { response, sentBytes, cpu, hold: this.#longestHold(), memory, livez };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    (this.attacker as HttpsAttacker)[Symbol.dispose]();
    await this.#server.stop();
    await this.#server[Symbol.asyncDispose]();
    this.#directory[Symbol.dispose]();
  }

  /** Sends a request before a case. The kind of a new definition is served only a little later. */
  async #prepare(request: HostileRequest): Promise<void> {
    const { status } = await this.attacker.send(request);
    if (request.path !== DEFINITIONS || status !== 201) return;
    const { spec } = JSON.parse(String(request.body));
    const path = `/apis/${spec.group}/${spec.versions[0].name}/${spec.names.plural}?limit=1`;
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await this.attacker.send({ method: 'GET', path })).status !== 404) return;
      await sleep(20);
    }
  }

  async #attack({ request, attack, who }: HostileCase) {
    const name = `hostile-${this.#names++}`;
    if (attack !== undefined) return { response: await attack(this.attacker, name), sentBytes: 0 };
    const made = request(name);
    const sentBytes = Buffer.byteLength(made.body ?? '') + made.path.length + JSON.stringify(made.headers ?? {}).length;
    return { response: await this.attacker.send(made, who), sentBytes };
  }

  /** Waits until the thread has nothing left to do for a case. */
  async #quiet(): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const before = this.#cpu();
      await sleep(100);
      if (this.#cpu() - before < 10) return;
    }
  }

  #cpu(): number {
    const { pid } = this.#server.child;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  }

  #memory(field: 'VmRSS' | 'VmHWM'): number {
    const status = readFileSync(`/proc/${this.#server.child.pid}/status`, 'utf8');
    return (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1_024) / MIB;
  }

  /** The kernel forgets the highest memory so far. */
  #resetPeak(): void {
    writeFileSync(`/proc/${this.#server.child.pid}/clear_refs`, '5');
  }

  #longestHold(): number {
    if (statSync(this.#holds).size === 0) return 0;
    return Math.max(...readFileSync(this.#holds, 'utf8').trim().split('\n').map(Number));
  }
}
