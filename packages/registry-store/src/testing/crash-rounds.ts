import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect } from 'vitest';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { currentDataFile } from '../lmdb/data-files.js';
import { openLmdbStore } from '../lmdb/open-lmdb-store.js';
import { RecordingSink } from './recording-sink.js';
import { temporaryDirectory } from './temporary-directory.js';

const range = { start: '/crash/', end: prefixEnd('/crash/') };

/** The acknowledged writes, by revision. */
type Acknowledged = Map<number, string>;

/** Bundles crash-writer.ts into that folder, and returns its path. */
export async function bundleWriter(directory: string): Promise<string> {
  const outfile = join(directory, 'crash-writer.mjs');
  const entry = join(import.meta.dirname, 'crash-writer.ts');
  const bundled = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['lmdb'],
    conditions: ['@apiserver/source'],
    write: false,
  });
  const lmdb = import.meta.resolve('lmdb');
  writeFileSync(
    outfile,
    (bundled.outputFiles[0]?.text ?? '').replaceAll('import("lmdb")', `import(${JSON.stringify(lmdb)})`),
  );
  return outfile;
}

/** Runs the writer, kills it after `after` milliseconds of writing, and returns what it had acknowledged. */
async function writeUntilKilled(writer: string, directory: string, run: number, after: number): Promise<Acknowledged> {
  const child = spawn(process.execPath, [writer, directory, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const started = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      resolve();
    });
  });
  await Promise.race([started, exited]);
  await sleep(after);
  child.kill('SIGKILL');
  await exited;
  const acknowledged: Acknowledged = new Map();
  for (const line of output.split('\n').slice(0, -1)) {
    const [revision = '', key = '', value = ''] = line.split(' ');
    expect(acknowledged.has(Number(revision))).toBe(false);
    acknowledged.set(Number(revision), `${key} ${value}`);
  }
  return acknowledged;
}

/** Every event that the store still has, by revision. */
async function history(store: KeyValueStore): Promise<Map<number, string>> {
  const events = new Map<number, string>();
  const sink = new RecordingSink();
  const record = (event: Parameters<RecordingSink['event']>[0]): void => {
    expect(events.has(event.revision)).toBe(false);
    events.set(event.revision, `${event.key} ${event.type === 'put' ? Buffer.from(event.value).toString() : ''}`);
  };
  const fromRevision = (await store.compactedRevision()) + 1;
  await store.watch({ ...range, fromRevision }, { event: record, end: (error) => sink.end(error) }).catchUp();
  expect(sink.error).toBeUndefined();
  return events;
}

/** Duration of the test, and the randomness of kills. */
export interface CrashRounds {
  /** Reports whether another round follows. */
  readonly goesOn: (rounds: number) => boolean;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Kills a writing process repeatedly, and each time compares the store with the acknowledged writes. Nothing may be
 * lost, no revision assigned twice, and the history must be readable. Returns the number of rounds and of acknowledged
 * writes.
 */
export async function crashRounds({ goesOn, random }: CrashRounds): Promise<{ rounds: number; writes: number }> {
  using directory = temporaryDirectory();
  const writer = await bundleWriter(directory.path);
  const storeDirectory = join(directory.path, 'store');
  const seen: Acknowledged = new Map();
  let rounds = 0;
  let writes = 0;
  for (; goesOn(rounds); rounds++) {
    const acknowledged = await writeUntilKilled(writer, storeDirectory, rounds, 20 + random() * 80);
    writes += acknowledged.size;
    expect(acknowledged.size).toBeGreaterThan(0);
    await using store = await openLmdbStore({ directory: storeDirectory, compactionInterval: 0 });
    const events = await history(store);
    const compacted = await store.compactedRevision();
    for (const [revision, what] of acknowledged) {
      expect(seen.has(revision)).toBe(false);
      seen.set(revision, what);
      if (revision > compacted) expect(events.get(revision)).toBe(what);
    }
    const newest = await store.currentRevision();
    expect(newest).toBeGreaterThanOrEqual(Math.max(...acknowledged.keys()));
    for (const kv of (await store.range(range)).kvs) {
      const what = `${kv.key} ${Buffer.from(kv.value).toString()}`;
      // The last write may be unacknowledged; its revision is then unique.
      expect(seen.get(kv.modRevision) ?? what).toBe(what);
      seen.set(kv.modRevision, what);
    }
  }
  // The writer rewrites its file all the time, so that kills also hit rewrites.
  if (rounds >= 50) expect(currentDataFile(storeDirectory)).toMatch(/-/);
  return { rounds, writes };
}
