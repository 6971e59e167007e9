import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig, type KubernetesListObject, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { BadLine } from './bad-line.ts';
import { Random } from './random.ts';
import { configMaps, installResources, type Resource, widgets } from './resources.ts';
import { RestartingServer } from './restarting-server.ts';
import { Acknowledged, Writer } from './writer.ts';

export interface InformerChurnOptions {
  readonly seed: number;
  /** How long objects change, the time without a line not counted. */
  readonly milliseconds: number;
  /** How often the line is closed for several compactions, and the server restarted, so that it too has forgotten them. */
  readonly outages: number;
  /** Revisions are gone after one to two of these. */
  readonly compactionMs: number;
  /** The longest that readers stall. */
  readonly stallMs: number;
  /** Bytes of an object that say nothing, so that a reader who stalls has much to catch up with. */
  readonly padding: number;
}

/** What an informer held in the end, and what a list said. */
export interface Outcome {
  readonly watched: string;
  readonly cache: readonly string[];
  readonly list: readonly string[];
  readonly events: number;
  /** How often it had to list: to begin with, and each time that what it had was too old to go on from. */
  readonly lists: number;
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
  await using line = new BadLine(Number(new URL(await server.url()).port), random.fork(), options.stallMs);
  const config = new KubeConfig();
  config.loadFromString(
    (await server.kubeconfigText()).replace(/(server: https:\/\/\S+:)\d+/, `$1${await line.listen()}`),
  );
  const informers = followed.map((what) => new Follower(server, config, what));
  const stop = new AbortController();
  const writing = [configMaps, widgets].map((resource) =>
    new Writer({
      ...{ server, resource, random: random.fork(), acknowledged: new Acknowledged() },
      padding: options.padding,
    }).run(stop.signal),
  );
  try {
    for (const informer of informers) informer.start();
    const driven = disturb(options, { server, line, random }).finally(() => stop.abort());
    await Promise.all([...writing, driven]);
    line.calm();
    const outcomes = await Promise.all(informers.map((informer) => informer.settled()));
    return { outcomes, cuts: line.cuts, stalls: line.stalls };
  } finally {
    stop.abort();
    await Promise.all(informers.map((informer) => informer.stop()));
  }
}

interface Disturbed {
  readonly server: RestartingServer;
  readonly line: BadLine;
  readonly random: Random;
}

/** Nobody can read while several compactions pass; then the server starts anew, and its watch cache with it. */
async function disturb(
  { milliseconds, outages, compactionMs }: InformerChurnOptions,
  { server, line, random }: Disturbed,
): Promise<void> {
  for (let outage = 0; outage < outages; outage += 1) {
    await sleep(milliseconds / (outages + 1));
    await line.closedFor(async () => {
      await sleep(3 * compactionMs);
      await server.restartAtRandom(random);
    });
  }
  await sleep(milliseconds / (outages + 1));
}

/** An informer that is started again after each error, as its documentation tells. */
class Follower {
  readonly #server: RestartingServer;
  readonly #what: Followed;
  readonly #informer;
  #running = true;
  #restart: NodeJS.Timeout | undefined;
  #events = 0;
  #lists = 0;

  constructor(server: RestartingServer, config: KubeConfig, what: Followed) {
    this.#server = server;
    this.#what = what;
    const { resource, colour } = what;
    const selector = colour === undefined ? undefined : `colour=${colour}`;
    const list = () => {
      this.#lists += 1;
      return this.#list();
    };
    this.#informer = makeInformer(config, resource.path, list, selector);
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
      if (cache.join() === list.join() || Date.now() > end) {
        return { watched, cache, list, events: this.#events, lists: this.#lists };
      }
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
