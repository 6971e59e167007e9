import { setTimeout as sleep } from 'node:timers/promises';
import { guarantees } from './guarantees.ts';
import type { History, Selector } from './history.ts';
import { Random } from './random.ts';
import { configMaps, installResources, type Resource, widgets } from './resources.ts';
import { type ClientSource, RestartingServer, type RestartingServers } from './restarting-server.ts';
import { Watcher } from './watcher.ts';
import { Acknowledged, Writer } from './writer.ts';

export interface ChurnOptions {
  readonly seed: number;
  readonly milliseconds: number;
  readonly restarts: number;
  /** Revisions are gone after one to two of these. */
  readonly compactionMs: number;
  /** Starts the servers. Default: one on its own store. */
  readonly start?: (args: readonly string[]) => Promise<RestartingServers>;
}

const selectors: readonly Selector[] = [
  {},
  { colours: ['red'] },
  { colours: ['red', 'blue'] },
  { name: 'object-0' },
  { colours: ['red'], name: 'object-0' },
];
const writers = 3;

/** Writers and watchers of both resources over restarts and compactions. Returns the histories. */
export async function churn(options: ChurnOptions): Promise<ReadonlyMap<string, History>> {
  const random = new Random(options.seed);
  const start = options.start ?? (async (args) => new RestartingServer(args));
  await using server = await start([`--etcd-compaction-interval=${options.compactionMs}ms`]);
  {
    using client = await server.client();
    await installResources(client);
  }
  const written = new AbortController();
  const acknowledged = { configMaps: new Acknowledged(), widgets: new Acknowledged() };
  const parts = [
    { resource: configMaps, acknowledged: acknowledged.configMaps },
    { resource: widgets, acknowledged: acknowledged.widgets },
  ];
  const running = parts.map((part) =>
    churnOf({ server, ...part, random: random.fork(), ...options, written: written.signal }),
  );
  const driven = server
    .restartOften(options, random)
    .then(() => enough(Object.values(acknowledged)))
    .finally(() => written.abort());
  const [[ofConfigMaps, ofWidgets]] = await Promise.all([Promise.all(running), driven]);
  if (ofConfigMaps === undefined || ofWidgets === undefined) throw new Error('a history is missing');
  return new Map([
    ['configmaps', ofConfigMaps],
    ['widgets', ofWidgets],
  ]);
}

/** On a machine that does other things as well few writes may be done in the time. */
async function enough(acknowledged: readonly Acknowledged[]): Promise<void> {
  while (acknowledged.some(({ writes }) => writes.length < 100)) await sleep(20);
}

interface ResourceChurn extends ChurnOptions {
  readonly acknowledged: Acknowledged;
  readonly server: ClientSource;
  readonly resource: Resource;
  readonly random: Random;
  readonly written: AbortSignal;
}

async function churnOf(churned: ResourceChurn): Promise<History> {
  const { server, resource, acknowledged, random, written, compactionMs } = churned;
  using client = await server.client();
  const begin = Number(JSON.parse((await client.request('GET', resource.path)).body).metadata.resourceVersion);
  const watcherOf = (selector: Selector, steady: boolean) =>
    new Watcher({ server, resource, selector, random: random.fork(), acknowledged, begin, steady });
  const watchers = [watcherOf({}, true), ...selectors.map((selector) => watcherOf(selector, false))];
  const watching = watchers.map((watcher) => watcher.run());
  const newWriter = () => new Writer({ server, resource, random: random.fork(), acknowledged });
  await Promise.all(Array.from({ length: writers }, () => newWriter().run(written)));
  using marking = await server.client();
  const last = await newWriter().mark(marking);
  for (const watcher of watchers) watcher.endAt(last);
  await Promise.all(watching);
  const segments = watchers.flatMap((watcher) => watcher.segments);
  return { acknowledged: acknowledged.writes, deletedUids: acknowledged.deletedUids, segments, compactionMs };
}

/** A violation, with its guarantee and its resource. */
export function violations(histories: ReadonlyMap<string, History>): readonly string[] {
  return [...histories].flatMap(([resource, history]) =>
    Object.entries(guarantees).flatMap(([name, guarantee]) =>
      guarantee(history).map((wrong) => `${resource} not ${name}: ${wrong}`),
    ),
  );
}
