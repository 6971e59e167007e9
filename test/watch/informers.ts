import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig, type KubernetesListObject, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { BadLine } from './bad-line.ts';
import { Random } from './random.ts';
import { configMaps, installResources, type Resource, widgets } from './resources.ts';
import { RestartingServer } from './restarting-server.ts';
import { Acknowledged, Writer } from './writer.ts';

export interface InformerChurnOptions {
  readonly seed: number;
  readonly milliseconds: number;
  readonly restarts: number;
  readonly compactionMs: number;
}

/** What an informer held in the end, and what a list said. */
export interface Outcome {
  readonly watched: string;
  readonly cache: readonly string[];
  readonly list: readonly string[];
  readonly events: number;
}

interface Followed {
  readonly resource: Resource;
  readonly colour?: string;
}

const followed: readonly Followed[] = [
  { resource: configMaps },
  { resource: configMaps },
  { resource: configMaps, colour: 'red' },
  { resource: widgets },
  { resource: widgets, colour: 'blue' },
];

const stamp = ({ metadata }: KubernetesObject) => `${metadata?.name} ${metadata?.uid} ${metadata?.resourceVersion}`;

/** Informers behind a bad line while their objects change and the server restarts and compacts. */
export async function churnInformers(options: InformerChurnOptions) {
  const random = new Random(options.seed);
  await using server = new RestartingServer([`--etcd-compaction-interval=${options.compactionMs}ms`]);
  using setup = await server.client();
  await installResources(setup);
  await using line = new BadLine(Number(new URL(await server.url()).port), random.fork());
  const config = new KubeConfig();
  config.loadFromString(
    (await server.kubeconfigText()).replace(/(server: https:\/\/\S+:)\d+/, `$1${await line.listen()}`),
  );
  const informers = followed.map((what) => new Follower(server, config, what));
  const stop = new AbortController();
  const writing = [configMaps, widgets].map((resource) =>
    new Writer(server, resource, random.fork(), new Acknowledged()).run(stop.signal),
  );
  try {
    for (const informer of informers) informer.start();
    const driven = server.restartOften(options, random).finally(() => stop.abort());
    await Promise.all([...writing, driven]);
    line.calm();
    const outcomes = await Promise.all(informers.map((informer) => informer.settled()));
    return { outcomes, cuts: line.cuts, stalls: line.stalls };
  } finally {
    stop.abort();
    await Promise.all(informers.map((informer) => informer.stop()));
  }
}

/** An informer that is started again after each error, as its documentation tells. */
class Follower {
  readonly #server: RestartingServer;
  readonly #what: Followed;
  readonly #informer;
  #running = true;
  #restart: NodeJS.Timeout | undefined;
  #events = 0;

  constructor(server: RestartingServer, config: KubeConfig, what: Followed) {
    this.#server = server;
    this.#what = what;
    const { resource, colour } = what;
    const selector = colour === undefined ? undefined : `colour=${colour}`;
    this.#informer = makeInformer(config, resource.path, () => this.#list(), selector);
    this.#informer.on('change', () => {
      this.#events += 1;
    });
    this.#informer.on('error', () => this.#startLater());
  }

  start(): void {
    this.#informer.start().catch(() => this.#startLater());
  }

  /** What it holds once that is what a list says, or after it had long enough for it. */
  async settled(): Promise<Outcome> {
    const { resource, colour } = this.#what;
    const watched = `${resource.kind} ${colour ?? ''}`;
    const list = (await this.#list()).items.map(stamp).sort();
    for (const end = Date.now() + 15_000; ; await sleep(20)) {
      const cache = this.#informer.list().map(stamp).sort();
      if (cache.join() === list.join() || Date.now() > end) return { watched, cache, list, events: this.#events };
    }
  }

  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#restart);
    await this.#informer.stop();
  }

  #startLater(): void {
    clearTimeout(this.#restart);
    if (this.#running) this.#restart = setTimeout(() => this.start(), 50);
  }

  async #list(): Promise<KubernetesListObject<KubernetesObject>> {
    using client = await this.#server.client();
    const { resource, colour } = this.#what;
    const query = colour === undefined ? '' : `?labelSelector=colour%3D${colour}`;
    const { status, body } = await client.request('GET', `${resource.path}${query}`);
    if (status !== 200) throw new Error(body);
    return JSON.parse(body);
  }
}
