import type { CompressedRun, ListRun, StoredList } from '@apiserver/apiserver-contracts';
import type { ListBody } from '../views/list-body.js';
import { compressedRuns } from './compressed-runs.js';
import { GzipMember } from './gzip-member.js';

type Runs = AsyncIterable<CompressedRun> | readonly CompressedRun[];

/**
 * A list as one gzip member. Only runs that no other list has compressed before cost more than their bytes. Rejects if
 * an item cannot be encoded, where all items precede the head.
 */
export async function gzipList(
  body: ListBody,
  list: StoredList,
  runs: Iterable<ListRun>,
): Promise<AsyncGenerator<Uint8Array, void>> {
  const compressed = compressedRuns(body, list, runs);
  if (!body.isLengthFirst) return member(body, list, { runs: compressed, length: 0 });
  const all = await Array.fromAsync(compressed);
  const length = all.reduce((sum, run) => sum + run.length + body.between.length, -body.between.length);
  return member(body, list, { runs: all, length });
}

async function* member(
  body: ListBody,
  list: StoredList,
  { runs, length }: { readonly runs: Runs; readonly length: number },
): AsyncGenerator<Uint8Array, void> {
  const gzip = new GzipMember();
  yield Buffer.concat([gzip.begin(), gzip.literal(body.head(list, length))]);
  let isFirst = true;
  for await (const run of runs) {
    if (!isFirst && body.between.length > 0) yield gzip.literal(body.between);
    isFirst = false;
    yield gzip.run(run);
  }
  yield Buffer.concat([gzip.literal(body.tail(list)), gzip.end()]);
}
