import { writeSync } from 'node:fs';
import { openLmdbStore } from '../lmdb/open-lmdb-store.js';

/*
 * A process that writes as fast as it can until it is killed, and says on its output what was acknowledged: a line
 * "revision key value" per write, written before anything else happens. For crash-rounds.ts.
 */

const [directory = '', run = ''] = process.argv.slice(2);
const store = await openLmdbStore({
  directory,
  compactionInterval: 50,
  smallFile: 0,
  maxRatio: 0,
  copyInterval: 10,
  journalAfter: 0,
  journalHalf: 65_536,
});

async function write(worker: number): Promise<never> {
  const key = `/crash/${worker}`;
  let expectedRevision = (await store.get(key)).kv?.modRevision ?? 0;
  for (let i = 0; ; i++) {
    const value = `${run}-${worker}-${i}-${'x'.repeat(500)}`;
    const result = await store.commit({ type: 'put', key, value: Buffer.from(value), expectedRevision });
    if (!result.committed) throw new Error(`${key} was changed by somebody else`);
    expectedRevision = result.revision;
    writeSync(1, `${result.revision} ${key} ${value}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, (_, worker) => write(worker)));
