import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig, type KubernetesListObject, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { BadLine } from './bad-line.ts';
import { Random } from './random.ts';
import { configMaps, installResources, type Resource, widgets } from './resources.ts';
import { RestartingServer } from './restarting-server.ts';
import { Acknowledged, Writer } from './writer.ts';

export interface InformerChurnOptions {
  readonly seed: number;
  /** The least time for which objects change, without the time without a line. */
  readonly milliseconds: number;
  /**
   * Number of outages. Each lasts several compactions and includes a restart: the server then lacks the old revisions.
   */
  readonly outages: number;
  /** Revisions are gone after one to two of these. */
  readonly compactionMs: number;
  /** The longest that readers stall. */
  readonly stallMs: number;
  /** Padding of an object in bytes, so that a stalled reader has much to catch up with. */
  readonly padding: number;
}

/** The final cache of an informer, and a list to compare it with. */
interface Outcome {
  readonly watched: string;
  readonly cache: readonly string[];
  readonly list: readonly string[];
  readonly events: number;
  /** Number of lists: the first one, and one each time that its revision was too old to resume from. */
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
      server,
      resource,
      random: random.fork(),
      acknowledged: new Acknowledged(),
      padding: options.padding,
    }).run(stop.signal),
  );
  try {
    for (const informer of informers) informer.start();
    const driven = disturb(options, { server, line, random, informers }).finally(() => stop.abort());
    await Promise.all([...writing, driven]);
    line.calm();
    const outcomes = await Promise.all(informers.map((informer) => informer.settled(options.outages + 1)));
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
  readonly informers: readonly Follower[];
}

/**
 * No client can read until the present history is compacted. Then the server restarts with a new watch cache. Before
 * that every informer has the state after the previous outage, so that each outage makes it list again.
 */
async function disturb(
  { milliseconds, outages }: InformerChurnOptions,
  { server, line, random, informers }: Disturbed,
): Promise<void> {
  for (let outage = 0; outage < outages; outage += 1) {
    await sleep(milliseconds / (outages + 1));
    await until(() => informers.every(({ events, lists }) => events > 0 && lists > outage));
    await line.closedFor(async () => {
      await outlive(server);
      await server.restartAtRandom(random);
    });
  }
  await sleep(milliseconds / (outages + 1));
  await until(() => line.cuts > 0 && line.stalls > 0);
}

/** Waits until no client can resume from the present revision. Writers make new revisions meanwhile. */
async function outlive(server: RestartingServer): Promise<void> {
  using client = await server.client();
  const { metadata } = await client.json('GET', `${configMaps.path}?limit=1`);
  const { resourceVersion } = metadata as { readonly resourceVersion: string };
  const exactly = `${configMaps.path}?limit=1&resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
  await until(async () => (await client.request('GET', exactly)).status === 410);
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

/** An informer that is started again after each error, as its documentation recommends. */
class Follower {
  readonly #server: RestartingServer;
  readonly #what: Followed;
  readonly #informer;
  #running = true;
  #restart: NodeJS.Timeout | undefined;
  events = 0;
  lists = 0;

  constructor(server: RestartingServer, config: KubeConfig, what: Followed) {
    this.#server = server;
    this.#what = what;
    const { resource, colour } = what;
    const selector = colour === undefined ? undefined : `colour=${colour}`;
    const list = async () => {
      const listed = await this.#list();
      this.lists += 1;
      return listed;
    };
    this.#informer = makeInformer(config, resource.path, list, selector);
    this.#informer.on('change', () => {
      this.events += 1;
    });
    this.#informer.on('error', () => this.#startLater());
  }

  start(): void {
    this.#informer.start().catch(() => this.#startLater());
  }

  /** Waits until the informer has listed so often and agrees with a list, for a minute at most. */
  async settled(lists: number): Promise<Outcome> {
    const { resource, colour } = this.#what;
    const watched = `${resource.kind} ${colour ?? ''}`;
    const list = (await this.#list()).items.map(stamp).sort();
    for (const end = Date.now() + 60_000; ; await sleep(20)) {
      const cache = this.#informer.list().map(stamp).sort();
      const isSettled = this.lists >= lists && cache.join() === list.join();
      if (isSettled || Date.now() > end) return { watched, cache, list, events: this.events, lists: this.lists };
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
