/*
 * Puts, gets and ranges of the embedded stores. Run after a build: node packages/registry-store/bench/key-value.ts
 * Absolute figures depend on the machine and its disk; compare the stores with each other.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyValueStore, prefixEnd } from '@apiserver/registry-store';
import { openLmdbStore } from '@apiserver/registry-store/lmdb';
import { createMemoryStore } from '@apiserver/registry-store/memory';

const VALUE = Buffer.alloc(1024, 'x');
const SECONDS = 1;

interface Figures {
  readonly perSecond: number;
  /** Microseconds of processor time of the whole process per operation. */
  readonly cpu: number;
}

/** Runs `operation` in `concurrency` loops for a while. */
async function measure(
  concurrency: number,
  operation: (worker: number, i: number) => Promise<unknown>,
): Promise<Figures> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const until = started + SECONDS * 1000;
  let count = 0;
  const loop = async (worker: number): Promise<void> => {
    for (let i = 0; performance.now() < until; i++, count++) {
      await operation(worker, i);
      if (i % 256 === 255) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => loop(worker)));
  const used = process.cpuUsage(cpu);
  return { perSecond: (count / (performance.now() - started)) * 1000, cpu: (used.user + used.system) / count };
}

function report(what: string, { perSecond, cpu }: Figures): void {
  print(`${what.padEnd(34)} ${Math.round(perSecond).toLocaleString('en').padStart(9)}/s  ${cpu.toFixed(1)} µs cpu`);
}

const keyOf = (run: string, worker: number, i: number): string => `/registry/things/${run}/${worker}-${i}`;

async function benchStore(name: string, store: KeyValueStore): Promise<void> {
  for (const concurrency of [1, 50, 500]) {
    const put = (worker: number, i: number) =>
      store.commit({ type: 'put', key: keyOf(String(concurrency), worker, i), value: VALUE, expectedRevision: 0 });
    report(`${name} put, ${concurrency} at once`, await measure(concurrency, put));
  }
  report(`${name} get`, await measure(1, (_, i) => store.get(keyOf('500', i % 500, 0))));
  const range = { start: '/registry/things/', end: prefixEnd('/registry/things/'), limit: 500 };
  report(`${name} range of 500`, await measure(1, () => store.range(range)));
  const started = performance.now();
  const { kvs } = await store.range({ start: '/', end: '0' });
  print(`${name} scan of ${kvs.length}: ${Math.round(performance.now() - started)} ms`);
}

const directory = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  await using memory = createMemoryStore();
  await benchStore('memory', memory);
  await using lmdb = await openLmdbStore({ directory });
  await benchStore('lmdb', lmdb);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Prints a line of the report. */
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
