import { type BenchKind, configMaps, pods, widgets } from './bench-kinds.ts';
import { type Measurement, measure } from './measurement.ts';
import type { Transport } from './transport.ts';

/** What is measured, in this order: later ones need what earlier ones made. */
export const scenarioNames = [
  ...(['create', 'get', 'list', 'list-500', 'patch', 'apply', 'watch-100'] as const),
  ...(['create-pod', 'get-pod', 'list-pod', 'create-widget', 'get-widget', 'list-widget'] as const),
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** The scenario that makes what `scenario` works on; itself when that is what it does. */
export function makerOf(scenario: ScenarioName): ScenarioName {
  if (scenario.endsWith('-pod')) return 'create-pod';
  return scenario.endsWith('-widget') ? 'create-widget' : 'create';
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
const watchers = 100;

type Scenario = (context: ScenarioContext) => Promise<Measurement>;

const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  create: (context) => create(context, configMaps),
  get: (context) => get(context, configMaps),
  list: (context) => measure(10, 1, () => list(context, '')),
  'list-500': (context) => measure(50, 1, () => list(context, '?limit=500')),
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
    measure(Math.min(context.objects, 5_000), 32, async (index) => {
      const path = `${collection(context)}/object-${index}?fieldManager=bench-apply&force=true`;
      const { status, bytes } = await context.transport.send('PATCH', path, applied(index), applyPatch);
      return { ok: status === 200, bytes };
    }),
  'watch-100': fanOut,
};

export function runScenario(name: ScenarioName, context: ScenarioContext): Promise<Measurement> {
  return scenarios[name](context);
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

async function list({ transport, namespace }: ScenarioContext, query: string, kind = configMaps) {
  const { status, bytes } = await transport.send('GET', kind.collection(namespace) + query);
  return { ok: status === 200, bytes };
}

/** 100 watchers see 500 writes; an operation is one event at one watcher, its latency that of the write until all have it. */
async function fanOut(context: ScenarioContext): Promise<Measurement> {
  const writes = Math.min(context.objects, 500);
  let seen = 0;
  let reached = () => {};
  const stops: (() => void)[] = [];
  const query = `?watch=1&resourceVersion=${await currentRevision(context)}`;
  for (let index = 0; index < watchers; index++) {
    stops.push(
      await context.transport.follow(collection(context) + query, () => {
        seen++;
        reached();
      }),
    );
  }
  const latencies: number[] = [];
  const begun = performance.now();
  for (let write = 0; write < writes; write += 10) {
    const batch = performance.now();
    await Promise.all(Array.from({ length: 10 }, (_, index) => touch(context, write + index)));
    const wanted = (write + 10) * watchers;
    if (seen < wanted) {
      await new Promise<void>((resolve) => {
        reached = () => seen >= wanted && resolve();
      });
    }
    latencies.push(performance.now() - batch);
  }
  const seconds = (performance.now() - begun) / 1000;
  for (const stop of stops) stop();
  return { operations: seen, seconds, latencies: latencies.sort((a, b) => a - b), bytes: 0, failures: 0 };
}

/** An empty list tells the revision without the objects. */
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

/** What an applier says of an object of `create`: one field that changes every time, as a controller would. */
function applied(index: number): string {
  const metadata = { name: `object-${index}`, labels: { bench: 'true', shard: String(index % 10) } };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { applied: String(Math.random()) } });
}
