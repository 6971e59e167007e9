import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { CompressedRun, ListRun, StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import type { ListBody } from '../views/list-body.js';
import { compressRun } from './compress-run.js';

/** Runs that are compressed at a time: one for each thread of Node's pool. */
const AHEAD = 4;

/** Runs that are being compressed, by form: many clients list the same objects when a server has started again. */
const pending = new WeakMap<ListRun, Map<object | string, Promise<CompressedRun>>>();

/** The runs of a list in order, each compressed or found. Yields between slices of time. */
export async function* compressedRuns(
  body: ListBody,
  list: StoredList,
  runs: Iterable<ListRun>,
): AsyncGenerator<CompressedRun, void> {
  const slice = new TimeSlice();
  const ahead: (CompressedRun | Promise<CompressedRun>)[] = [];
  let at = 0;
  for (const run of runs) {
    const known = run.compressed(body.form) ?? pending.get(run)?.get(body.form);
    ahead.push(known ?? keepingCompressed(body, run, list.items.slice(at, at + run.count)));
    at += run.count;
    if (slice.over) await slice.yield();
    if (ahead.length > AHEAD) yield* shifted(ahead);
  }
  while (ahead.length > 0) yield* shifted(ahead);
}

async function* shifted(ahead: (CompressedRun | Promise<CompressedRun>)[]): AsyncGenerator<CompressedRun, void> {
  const next = ahead.shift();
  if (next !== undefined) yield next;
}

/** Its failure is reported when it is awaited, if it is. */
function keepingCompressed(body: ListBody, run: ListRun, items: readonly StoredObject[]): Promise<CompressedRun> {
  const { form } = body;
  const forms = pending.get(run) ?? new Map<object | string, Promise<CompressedRun>>();
  const compressing = compressed(body, items).then((made) => {
    run.keep(form, made);
    return made;
  });
  pending.set(run, forms.set(form, compressing));
  const end = () => forms.delete(form);
  compressing.then(end, end);
  return compressing;
}

async function compressed(body: ListBody, items: readonly StoredObject[]): Promise<CompressedRun> {
  const pieces: Uint8Array[] = [];
  for (const stored of items) {
    const preparing = body.prepare(stored);
    if (preparing !== undefined) await preparing;
    if (pieces.length > 0 && body.between.length > 0) pieces.push(body.between);
    pieces.push(body.item(stored));
  }
  return await compressRun(pieces);
}
