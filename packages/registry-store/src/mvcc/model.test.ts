import { join } from 'node:path';
import { ManualClock } from '@apiserver/apimachinery/testing';
import fc from 'fast-check';
import { it } from 'vitest';
import { isKeyValueError } from '../key-value-error.js';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import { openLmdbStore } from '../lmdb/open-lmdb-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { NaiveStore } from '../testing/naive-store.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';

const key = fc.constantFrom('/a', '/a/b', '/a-b', '/b', '/b/\u{1f600}', '/b/\uffee', '/c');
/** Distance of a command's revision from the newest one; -1: in the future. */
const back = fc.integer({ min: -1, max: 12 });

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key, right: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key, right: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get' as const), key, back }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('range' as const),
      key,
      end: key,
      back,
      limit: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch' as const), back }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** The result of a command as comparable data; errors by code and revision. */
async function run(store: KeyValueStore, command: Command, i: number): Promise<unknown> {
  try {
    return JSON.parse(JSON.stringify((await response(store, command, i)) ?? null));
  } catch (error) {
    if (isKeyValueError(error)) return { error: error.keyValueErrorCode, revision: error.revision };
    throw error;
  }
}

async function response(store: KeyValueStore, command: Command, i: number): Promise<unknown> {
  const newest = await store.currentRevision();
  switch (command.do) {
    case 'put':
    case 'delete': {
      const current = (await store.get(command.key)).kv?.modRevision ?? 0;
      const expectedRevision = command.right ? current : current + 1;
      const value = Buffer.from(`v${i}`);
      return await store.commit({ type: command.do, key: command.key, value, expectedRevision });
    }
    case 'get':
      return await store.get(command.key, { revision: newest - command.back });
    case 'range': {
      const { key: start, end, limit } = command;
      return await store.range({ start, end, limit, count: true, revision: newest - command.back });
    }
    case 'compact':
      return await store.compact(newest - command.back);
    case 'watch':
      return await pastEvents(store, newest - command.back);
  }
}

async function pastEvents(store: KeyValueStore, fromRevision: number): Promise<unknown> {
  const sink = new RecordingSink();
  const watch = store.watch({ start: '/', end: prefixEnd('/'), fromRevision }, sink);
  await watch.catchUp();
  watch.close();
  if (sink.error !== undefined) throw sink.error;
  return sink.events;
}

it('responds like the naive store to random commands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      using directory = temporaryDirectory();
      const options = { clock: new ManualClock(), compactionInterval: 0 };
      const rewritten = { ...options, smallFile: 0, maxRatio: 0 };
      await using lmdb = await openLmdbStore({ ...rewritten, directory: join(directory.path, 'plain') });
      const journal = { journalAfter: 0, journalHalf: 12_288 };
      await using journaled = await openLmdbStore({
        ...rewritten,
        ...journal,
        directory: join(directory.path, 'journal'),
      });
      await using memory = createMemoryStore(options);
      const naive = new NaiveStore();
      for (const [i, step] of commands.entries()) {
        const expected = JSON.stringify(await run(naive, step, i));
        for (const store of [memory, lmdb, journaled]) {
          const actual = JSON.stringify(await run(store, step, i));
          if (actual !== expected) throw new Error(`${JSON.stringify(step)} returned ${actual}, expected ${expected}`);
        }
      }
    }),
  );
});
