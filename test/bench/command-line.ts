import { parseArgs } from 'node:util';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type ScenarioName, scenarioNames } from './scenarios.ts';

/** Scenarios that depend on the protocol. Those of other kinds hardly do, and take minutes. */
export const overSecondProtocol: readonly ScenarioName[] = ['create', 'get', 'list', 'watch-100'];

const modes = ['storage', 'definitions', 'rules', 'audit', 'cel', 'planes', 'client-go', 'tenants'];

/** The text of `--help`. */
export const usage = `npm run bench -- [--kubeconfig=FILE]... [--only=SCENARIO,...] [--objects=N] [--protocols=h2,http/1.1] [--starts=N] [--warm-up=N] [--etcd]
npm run bench -- storage [--stores=lmdb,etcd] [--sizes=10000,100000,500000] [--large]
npm run bench -- definitions [--definitions=200] [--bytes=32768] [--binaries=FILE,...] [--node-options="--FLAG..."]
npm run bench -- rules [--batches=N]
npm run bench -- audit [--batches=N]
npm run bench -- cel
npm run bench -- planes [--starts=N]
npm run bench -- client-go [--kubeconfig=FILE]... [--rounds=N] [--reference | --informers=N | --rates=N,...]
npm run bench -- tenants [--binaries=FILE,...] [--noise=KIND,...] [--seconds=N] [--fair]
npm run bench -- --paired=BEFORE[,AFTER] [--only=SCENARIO,...] [--batches=N] [--node-options="--FLAG..."] [--etcd]

Without --kubeconfig our own server is started and measured, its start included; with it, the servers named are measured
too ("self" stands for ours). Two results are printed for every scenario: its first operations, which run on code that is compiled meanwhile, and
the same again after N more (default 20000; 0: the first ones only; of a list its objects count, of events at
100 watchers their writes), which is what everything but "first"
is about. "x ref" are ops/s beside those of kube-apiserver 1.20 on etcd, "aim" is the aim in cpu µs/op. Scenarios: start,
${scenarioNames.join(', ')}. Over a second protocol ${overSecondProtocol.join(', ')} are
measured, and others only where --only names them. All of it takes four minutes.

With "storage" servers are filled with this number of objects of 1 KiB (10 KiB with --large) and used; each is started again, and its memory compared with the
objects' JSON after its garbage was collected. etcd has to be installed for its part.

With "definitions" this number of CustomResourceDefinitions is posted, eight at a time, until all are established and discoverable; then OpenAPI
and discovery are read, one definition is changed, and they are read again. --binaries names programs to measure one after the other.

With "rules" objects of two kinds are created in turn on one server: one has ten validation rules, the other none.

With "audit" an object is read from two servers in turn; one of them has an audit policy at Metadata and a log.

With "planes" control planes of @apiserver/envtest are started: the first of a process, further ones, and 100 at once; then snapshots are measured.

With "client-go" a generator made of client-go does the work, in JSON and protobuf, where Go is installed. It accepts gzip and uses four
connections. Without a mode that table follows ours. --informers measures informers of this number of objects instead, and --rates the latency of creates that
begin at these rates in a second. --reference does each job on a server of upstream's modules too, which has an etcd and serves ConfigMaps only, and
prints the ratio of CPU.

With "tenants" 300 clients of a noisy tenant list, watch, write, open long requests and send wrong bodies, while a quiet tenant reads an object,
renews a lease and asks for the health; without priority and fairness, and with it (--fair: with it only). "server" is the time of its GET
in the server, as a probe in that process sees it: "unread" until the server reads it, "served" from then on. "no cpu" is the share of time in
which the server's main thread was ready and had no processor.

With "cel" expressions are compiled and evaluated in this process.

With --paired two programs (paths of .../bin/kube-apiserver.js; AFTER is the one built here) run at the same time and are
given short batches in turn. The same path twice is a control. --node-options are for AFTER only.

With --etcd each of our servers keeps its objects in an etcd of its own, whose CPU is not counted.`;

const known = {
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    kubeconfig: { type: 'string', multiple: true },
    only: { type: 'string', default: '' },
    objects: { type: 'string', default: '10000' },
    protocols: { type: 'string', default: 'h2,http/1.1' },
    starts: { type: 'string', default: '20' },
    'warm-up': { type: 'string', default: '20000' },
    paired: { type: 'string', default: '' },
    stores: { type: 'string', default: 'lmdb,etcd' },
    large: { type: 'boolean', default: false },
    etcd: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '2' },
    informers: { type: 'string', default: '0' },
    reference: { type: 'boolean', default: false },
    rates: { type: 'string', default: '' },
    sizes: { type: 'string', default: '10000,100000,500000' },
    definitions: { type: 'string', default: '200' },
    bytes: { type: 'string', default: '32768' },
    binaries: { type: 'string', default: '' },
    batches: { type: 'string', default: '20' },
    noise: { type: 'string', default: '' },
    seconds: { type: 'string', default: '6' },
    fair: { type: 'boolean', default: false },
    'node-options': { type: 'string', default: '' },
  },
} as const;

/** The parsed command line. An error ends the program with one line about it. */
export function parseCommandLine() {
  try {
    const parsed = parseArgs(known);
    const strange = [
      ...parsed.positionals.filter((word) => !modes.includes(word)),
      ...(parsed.values.only === '' ? [] : parsed.values.only.split(',').filter((name) => !isScenario(name))),
    ];
    if (strange.length === 0) return parsed;
    console.error(`nothing is called ${strange.join(', ')}; npm run bench -- --help tells what there is`);
  } catch (error) {
    console.error(`${messageOf(error)}; npm run bench -- --help tells what there is`);
  }
  process.exit(2);
}

function isScenario(name: string): boolean {
  return name === 'start' || scenarioNames.some((scenario) => scenario === name);
}
