import type { CompressedRun, ListRun } from '@apiserver/apiserver-contracts';
import type { Kept, KeptForms } from './kept-forms.js';

/** Wire bytes of the objects of a run: with fewer, many runs compress worse; with more, each change costs more. */
const RUN_BYTES = 64 * 1024;
/** A shorter run takes the objects of the next one, rather than end before it. */
const SHORT_RUN_BYTES = RUN_BYTES / 4;
/** A run that pages have cut to less is made again with what follows it. */
const FRAGMENT_BYTES = RUN_BYTES / 16;

/** An object that may be in a run. */
export interface RunMember {
  /** Length of its wire bytes. */
  readonly byteLength: number;
  /** False for one that no cache has, or has any more: nothing would remove what a run of it keeps. */
  readonly isCached: boolean;
  /** The last run that was made with it. */
  run: ObjectRun | undefined;
}

/** The compressed bytes of a run in one form. */
class KeptRun implements Kept {
  readonly run: CompressedRun;
  usedIn = 0;
  readonly #forget: () => void;

  constructor(run: CompressedRun, forget: () => void) {
    this.run = run;
    this.#forget = forget;
  }

  get size(): number {
    return this.run.deflated.length;
  }

  forget(): void {
    this.#forget();
  }
}

/**
 * A number of neighbours in the order of keys. Its members refer to it, and it to none of them: it is whole as long as
 * all of them do, and does not keep them alive.
 */
export class ObjectRun implements ListRun {
  readonly count: number;
  /** Wire bytes of the members. */
  readonly bytes: number;
  /** Undefined: nothing is kept. */
  readonly #bound: KeptForms | undefined;
  readonly #kept = new Map<object | string, KeptRun>();

  constructor({ count, bytes }: Pick<ObjectRun, 'count' | 'bytes'>, bound: KeptForms | undefined) {
    this.count = count;
    this.bytes = bytes;
    this.#bound = bound;
  }

  compressed(form: object | string): CompressedRun | undefined {
    const kept = this.#kept.get(form);
    if (kept !== undefined && this.#bound !== undefined) kept.usedIn = this.#bound.period;
    return kept?.run;
  }

  keep(form: object | string, run: CompressedRun): void {
    const bound = this.#bound;
    if (bound === undefined || this.#kept.has(form) || !bound.hasRoom(run.deflated.length, true)) return;
    const kept = new KeptRun(run, () => this.#kept.delete(form));
    this.#kept.set(form, kept);
    bound.add(kept);
  }

  /** Drops what is kept: a member has changed. */
  clear(): void {
    for (const kept of this.#kept.values()) this.#bound?.remove(kept);
    this.#kept.clear();
  }
}

/**
 * Divides neighbours into runs. A run whose members all stand together is found again. Another list of the same objects
 * therefore has nearly the same runs, wherever it begins and whatever has changed. The members may be divided otherwise
 * between two runs. Members that are in no cache have runs of their own.
 */
export function* runsOf(members: readonly RunMember[], bound: KeptForms): Generator<ObjectRun> {
  for (let at = 0; at < members.length; ) {
    const found = wholeRunAt(members, at);
    const isFragment = found !== undefined && found.bytes < FRAGMENT_BYTES && at + found.count < members.length;
    const run = found === undefined || isFragment ? newRun(members, at, bound) : found;
    yield run;
    at += run.count;
  }
}

function wholeRunAt(members: readonly RunMember[], at: number): ObjectRun | undefined {
  const run = members[at]?.run;
  if (run === undefined || at + run.count > members.length) return undefined;
  for (let index = at + run.count - 1; index > at; index--) if (members[index]?.run !== run) return undefined;
  return run;
}

function newRun(members: readonly RunMember[], start: number, bound: KeptForms): ObjectRun {
  const isKept = members[start]?.isCached === true;
  let end = start;
  let bytes = 0;
  while (end < members.length && bytes < RUN_BYTES && members[end]?.isCached === isKept) {
    if (bytes >= SHORT_RUN_BYTES && wholeRunAt(members, end) !== undefined) break;
    bytes += members[end]?.byteLength ?? 0;
    end++;
  }
  const run = new ObjectRun({ count: end - start, bytes }, isKept ? bound : undefined);
  if (!isKept) return run;
  for (let index = start; index < end; index++) {
    const member = members[index];
    if (member === undefined) continue;
    // The removed one will not be found again.
    member.run?.clear();
    member.run = run;
  }
  return run;
}
