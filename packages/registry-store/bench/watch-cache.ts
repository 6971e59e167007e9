/*
 * The watch cache: load, reads, fan-out, memory, and how long it holds the event loop.
 * Run after a build: node --expose-gc packages/registry-store/bench/watch-cache.ts
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '@apiserver/apimachinery/clock';
import { everythingFieldSelector, everythingSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import type { Storage, WatchSink } from '@apiserver/apiserver-contracts';
import { createStorageProvider } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { memoizedCodecs, storedWidgetDefinition, type Widget, widget } from '@apiserver/registry-store/testing';

const OBJECTS = 20_000;
const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };
const form = { contentType: 'application/json', group: 'example.com', version: 'v1', kind: 'Widget' };
const nameOf = (i: number): string => `w${String(i).padStart(6, '0')}`;

const make = (i: number): Widget =>
  widget(
    { name: nameOf(i), namespace: `ns${i % 10}`, uid: `uid-${i}`, labels: { group: String(i % 100) } },
    { spec: { text: 'x'.repeat(900) } },
  );

async function timed(what: string, count: number, work: () => Promise<unknown>): Promise<void> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const used = process.cpuUsage(cpu);
  print(
    `${what.padEnd(40)} ${((ms * 1000) / count).toFixed(2).padStart(9)} µs each  ` +
      `${((used.user + used.system) / count).toFixed(2)} µs cpu  ${ms.toFixed(0)} ms`,
  );
}

async function fill(storage: Storage<Widget>): Promise<void> {
  const worker = async (w: number): Promise<void> => {
    for (let i = w; i < OBJECTS; i += 100) await storage.create(`ns${i % 10}/${nameOf(i)}`, make(i));
  };
  await Promise.all(Array.from({ length: 100 }, (_, w) => worker(w)));
}

async function fanOut(storage: Storage<Widget>, watchers: number, writes: number): Promise<void> {
  let events = 0;
  let bytes = 0;
  const sink: WatchSink<Widget> = {
    event(event) {
      events++;
      bytes += event.object.wire(form)?.length ?? 0;
    },
    end: () => {},
  };
  const { resourceVersion } = await storage.list('none/', everything);
  const sources = await Promise.all(
    Array.from({ length: watchers }, () => storage.watch('', { ...everything, resourceVersion, allowBookmarks: true })),
  );
  for (const source of sources) source.start(sink);
  await timed(`fan-out to ${watchers}, per event`, watchers * writes, async () => {
    for (let i = 0; i < writes; i++) {
      await storage.guaranteedUpdate(`ns0/${nameOf(0)}`, {}, async () => ({
        object: { ...make(0), spec: { text: 'y'.repeat(900), size: i + watchers } },
      }));
    }
  });
  for (const source of sources) source.close();
  if (events !== watchers * writes || bytes === 0) throw new Error(`${events} events`);
}

await using store = createMemoryStore();
const options = { store, clock: systemClock, codecFor: memoizedCodecs() };
const definition = storedWidgetDefinition();
{
  await using provider = createStorageProvider(options);
  const storage = provider.storageFor(definition);
  await storage.ready();
  await timed('create', OBJECTS, () => fill(storage));
}
globalThis.gc?.();
const before = process.memoryUsage();
await using provider = createStorageProvider(options);
const storage = provider.storageFor(definition);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
await timed('load', OBJECTS, () => storage.ready());
printDelay('load');
globalThis.gc?.();
const after = process.memoryUsage();
const sample = (await storage.get(`ns0/${nameOf(0)}`, {})).wire(form)?.length ?? 0;
const perObject = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / OBJECTS;
print(`memory per object ${Math.round(perObject)} bytes, of which wire bytes ${sample}`);
await timed('get, bytes', 100_000, async () => {
  for (let i = 0; i < 100_000; i++) (await storage.get(`ns${i % 10}/${nameOf(i % OBJECTS)}`, {})).wire(form);
});
await timed('list of all, bytes', OBJECTS * 10, async () => {
  for (let i = 0; i < 10; i++) for (const item of (await storage.list('', everything)).items) item.wire(form);
});
delay.reset();
const labelSelector = parseLabelSelector('group=7');
await timed('first list by label', OBJECTS, () => storage.list('', { ...everything, labelSelector }));
printDelay('first list by label');
await timed('next list by label', OBJECTS, () => storage.list('', { ...everything, labelSelector }));
delay.disable();
await timed('update', 20_000, async () => {
  for (let i = 0; i < 20_000; i++) {
    await storage.guaranteedUpdate(`ns${i % 10}/${nameOf(i)}`, {}, async (current) => ({
      object: { ...make(i), ...current?.object, spec: { size: i } },
    }));
    if (i % 256 === 255) await new Promise<void>((resolve) => setImmediate(resolve));
  }
});
await fanOut(storage, 100, 2000);
await fanOut(storage, 1000, 500);

/** Prints a line of the report. */
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printDelay(what: string): void {
  print(`event loop held by ${what}: at most ${(delay.max / 1e6).toFixed(1)} ms`);
}
