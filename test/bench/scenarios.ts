import { type BenchKind, configMaps, largeConfigMaps, pods, widgets } from './bench-kinds.ts';
import { type Measurement, measure } from './measurement.ts';
import type { Protocol, Transport } from './transport.ts';

/** The scenarios in order: later ones need objects of earlier ones. */
export const scenarioNames = [
  ...(['create', 'get', 'list', 'list-500', 'watch-list', 'patch', 'apply', 'watch-100', 'watch-1000'] as const),
  ...(['create-pod', 'get-pod', 'list-pod', 'create-widget', 'get-widget', 'list-widget'] as const),
] as const;
export type ScenarioName = (typeof scenarioNames)[number] | 'list-all' | 'create-large';

/**
 * Number of connections of a scenario: at most 100 streams share one; HTTP/1.1 needs one for every request under way.
 */
export function connectionsOf(scenario: ScenarioName, protocol: Protocol): number {
  if (scenario === 'watch-1000') return protocol === 'h2' ? 12 : 1_100;
  return protocol === 'h2' ? 4 : 200;
}

/** The scenario that makes the objects of `scenario`; itself if it makes them. */
export function makerOf(scenario: ScenarioName): ScenarioName {
  if (scenario.endsWith('-pod')) return 'create-pod';
  return scenario.endsWith('-widget') ? 'create-widget' : 'create';
}

/**
 * The weight of an operation in a warm-up: the objects that it reads. For events at 100 watchers their writes count,
 * because most of the executed code is theirs. (So many writes at 1,000 watchers would take a minute.)
 */
export function warmUpPerOperation(scenario: ScenarioName, objects: number): number {
  if (scenario === 'list-500') return 500;
  if (scenario === 'watch-100') return 1 / 100;
  return scenario.startsWith('list') || scenario === 'watch-list' ? objects : 1;
}

export interface ScenarioContext {
  readonly transport: Transport;
  readonly namespace: string;
  /** Objects of 1 KiB that `create` makes and the others work on. */
  readonly objects: number;
}

const json = 'application/json';
const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

/** Their watches are opened beforehand. */
type FanOutName = 'watch-100' | 'watch-1000';

type Scenario = (context: ScenarioContext) => Promise<Measurement>;

const scenarios: Readonly<Record<Exclude<ScenarioName, FanOutName>, Scenario>> = {
  create: (context) => create(context, configMaps),
  'create-large': (context) => create(context, largeConfigMaps),
  get: (context) => get(context, configMaps),
  list: (context) => measure(10, 1, () => list(context, '')),
  'list-all': ({ transport }) => measure(5, 1, () => receive(transport, '/api/v1/configmaps')),
  'list-500': (context) => measure(50, 1, () => list(context, '?limit=500')),
  'watch-list': (context) => measure(10, 1, () => watchList(context)),
  'create-pod': (context) => create(context, pods),
  'get-pod': (context) => get(context, pods),
  'list-pod': (context) => measure(10, 1, () => list(context, '', pods)),
  'create-widget': (context) => create(context, widgets),
  'get-widget': (context) => get(context, widgets),
  'list-widget': (context) => measure(10, 1, () => list(context, '', widgets)),
  patch: (context) =>
    measure(Math.min(context.objects, 5_000), 32, async (index) => {
      const path = `${collection(context)}/object-${index}`;
      const body = JSON.stringify({ data: { patched: String(Math.random()) } });
      const { status, bytes } = await context.transport.send('PATCH', path, body, mergePatch);
      return { ok: status === 200, bytes };
    }),
  apply: (context) =>
    measure(Math.min(context.objects, 5_000), 16, async (index) => {
      const path = `${collection(context)}/object-${index}?fieldManager=bench-apply&force=true`;
      const { status, bytes } = await context.transport.send('PATCH', path, applied(index), applyPatch);
      return { ok: status === 200, bytes };
    }),
};

/** A scenario whose watches stand. */
export interface PreparedScenario {
  measure(): Promise<Measurement>;
  close(): void;
}

/** Opens the connections of the scenario. The measurement begins with `measure`. */
export async function prepareScenario(name: ScenarioName, context: ScenarioContext): Promise<PreparedScenario> {
  if (name === 'watch-100') return prepareFanOut(context, { watchers: 100, writes: Math.min(context.objects, 2_000) });
  if (name === 'watch-1000') return prepareFanOut(context, { watchers: 1_000, writes: Math.min(context.objects, 200) });
  return { measure: () => scenarios[name](context), close: () => {} };
}

function create({ transport, namespace, objects }: ScenarioContext, kind: BenchKind): Promise<Measurement> {
  return measure(objects, 32, async (index) => {
    const body = JSON.stringify(kind.object(index));
    const { status, bytes } = await transport.send('POST', kind.collection(namespace), body, json);
    return { ok: status === 201, bytes };
  });
}

function get({ transport, namespace, objects }: ScenarioContext, kind: BenchKind): Promise<Measurement> {
  return measure(Math.min(objects, 10_000), 32, async (index) => {
    const { status, bytes } = await transport.send('GET', `${kind.collection(namespace)}/object-${index}`);
    return { ok: status === 200, bytes };
  });
}

function list({ transport, namespace }: ScenarioContext, query: string, kind = configMaps) {
  return receive(transport, kind.collection(namespace) + query);
}

async function receive(transport: Transport, path: string) {
  const { status, bytes } = await transport.send('GET', path);
  return { ok: status === 200, bytes };
}

/** All objects as the events of a watch, until the bookmark that ends them. */
async function watchList({ transport, namespace, objects }: ScenarioContext) {
  const events = new EventCount();
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const stop = await transport.follow(`${configMaps.collection(namespace)}?${query}`, () => events.add());
  await events.reach(objects + 1);
  stop();
  return { ok: true, bytes: 0 };
}

/**
 * Watchers see writes; an operation is one event at one watcher, its latency that of ten writes until all have them.
 */
async function prepareFanOut(
  context: ScenarioContext,
  { watchers, writes }: { readonly watchers: number; readonly writes: number },
): Promise<PreparedScenario> {
  const events = new EventCount();
  const stops: (() => void)[] = [];
  const query = `?watch=1&resourceVersion=${await currentRevision(context)}`;
  for (let index = 0; index < watchers; index++) {
    stops.push(await context.transport.follow(collection(context) + query, () => events.add()));
  }
  return {
    measure: () => fanOut(context, { watchers, writes, events }),
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

async function fanOut(
  context: ScenarioContext,
  { watchers, writes, events }: { readonly watchers: number; readonly writes: number; readonly events: EventCount },
): Promise<Measurement> {
  const latencies: number[] = [];
  const begun = performance.now();
  for (let write = 0; write < writes; write += 10) {
    const batch = performance.now();
    await Promise.all(Array.from({ length: 10 }, (_, index) => touch(context, write + index)));
    await events.reach((write + 10) * watchers);
    latencies.push(performance.now() - batch);
  }
  const seconds = (performance.now() - begun) / 1000;
  return { operations: events.seen, seconds, latencies: latencies.sort((a, b) => a - b), bytes: 0, failures: 0 };
}

/** Counts events, and resolves when there are enough. */
class EventCount {
  seen = 0;
  #reached = () => {};

  add(): void {
    this.seen++;
    this.#reached();
  }

  async reach(wanted: number): Promise<void> {
    if (this.seen >= wanted) return;
    await new Promise<void>((resolve) => {
      this.#reached = () => this.seen >= wanted && resolve();
    });
  }
}

/** An empty list has the revision without the objects. */
async function currentRevision(context: ScenarioContext): Promise<string> {
  const { text } = await context.transport.send('GET', `${collection(context)}?labelSelector=bench=none`);
  return JSON.parse(text()).metadata.resourceVersion;
}

async function touch(context: ScenarioContext, index: number): Promise<void> {
  const body = JSON.stringify({ data: { touched: String(Math.random()) } });
  await context.transport.send('PATCH', `${collection(context)}/object-${index}`, body, mergePatch);
}

function collection({ namespace }: ScenarioContext): string {
  return configMaps.collection(namespace);
}

/**
 * The configuration of an applier for an object of `create`: one field that changes every time, as with a controller.
 */
function applied(index: number): string {
  const metadata = { name: `object-${index}`, labels: { bench: 'true', shard: String(index % 10) } };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { applied: String(Math.random()) } });
}
