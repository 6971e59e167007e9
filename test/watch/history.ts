/** Selection of a watch; all objects if empty. */
export interface Selector {
  readonly colours?: readonly string[];
  readonly name?: string;
}

/** An object as far as the guarantees speak of it. */
export interface Seen {
  readonly name: string;
  readonly uid: string;
  readonly colour: string;
  readonly revision: number;
  /** The whole object without its resourceVersion, so that a deleted object equals its last state. */
  readonly content: string;
}

/** A revision as it came to be: known from the response to a write, or from a watch of everything. */
export interface Write extends Seen {
  readonly deleted: boolean;
}

export type Frame =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Seen }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly endsInitial: boolean };

/** One watch from its request to its end. */
export interface Segment {
  readonly selector: Selector;
  /** The revision it was asked to go on from; 'initial': sendInitialEvents. */
  readonly start: number | 'initial';
  /** The newest revision that had been acknowledged to anybody before it was asked for. */
  readonly acknowledgedBefore: number;
  readonly frames: readonly Frame[];
  /** Set when the server refused it or ended it with an ERROR. */
  readonly refusal?: {
    readonly code: number;
    /** At least the milliseconds since the revision was written: the first observer may see it late. */
    readonly startAgeMs: number;
  };
}

/** All that was seen of one resource. */
export interface History {
  readonly acknowledged: readonly Write[];
  /** Of objects whose deletion was acknowledged. */
  readonly deletedUids: readonly string[];
  readonly segments: readonly Segment[];
  readonly compactionMs: number;
}

function matches({ colours, name }: Selector, object: Seen): boolean {
  return (colours === undefined || colours.includes(object.colour)) && (name === undefined || name === object.name);
}

function isEverything(selector: Selector): boolean {
  return selector.colours === undefined && selector.name === undefined;
}

export function revisionOf(frame: Frame): number {
  return frame.type === 'BOOKMARK' ? frame.revision : frame.object.revision;
}

/** The objects at the beginning of the watch, and the events from `from` on; undefined if it did not get there. */
export function parts({ start, frames }: Segment): {
  initial: readonly Frame[];
  from?: number;
  live: readonly Frame[];
} {
  if (start !== 'initial') return { initial: [], from: start, live: frames };
  const end = frames.findIndex((frame) => frame.type === 'BOOKMARK' && frame.endsInitial);
  const bookmark = frames[end];
  if (bookmark === undefined) return { initial: frames, live: [] };
  return { initial: frames.slice(0, end), from: revisionOf(bookmark), live: frames.slice(end + 1) };
}

/** Revisions that no watch may have seen: after the first, up to the second. */
export interface Hole {
  readonly after: number;
  readonly upTo: number;
  /** The state at its end, as a watch of everything began with it. */
  readonly state: readonly Seen[];
}

/**
 * Revisions that no watch of all objects covers. A server that is away for longer than it keeps its history leaves a
 * hole: a resumed watch is refused and starts again. A hole ends where such a watch begins with the whole state.
 */
export function holesOf(segments: readonly Segment[]): readonly Hole[] {
  const covered = segments
    .filter(({ selector }) => isEverything(selector))
    .flatMap((segment) => {
      const { initial, from, live } = parts(segment);
      if (from === undefined) return [];
      return [{ from, to: Math.max(from, ...live.map(revisionOf)), initial: segment.start === 'initial' && initial }];
    })
    .sort((a, b) => a.from - b.from);
  const holes: Hole[] = [];
  let end = covered[0]?.to ?? 0;
  for (const { from, to, initial } of covered) {
    if (from > end) {
      // A watch that resumes within a hole knows later changes, but not the state.
      if (initial === false) continue;
      const state = initial.flatMap((frame) => (frame.type === 'BOOKMARK' ? [] : [frame.object]));
      holes.push({ after: end, upTo: from, state });
    }
    end = Math.max(end, to);
  }
  return holes;
}

/** Reports whether a revision from `from` to `to` lies in a hole. */
export function touchesHole(holes: readonly Hole[], from: number, to: number): boolean {
  return holes.some(({ after, upTo }) => from < upTo && to > after);
}

/** Every revision anybody knows of, oldest first. */
export function writesOf({ acknowledged, segments }: Pick<History, 'acknowledged' | 'segments'>): readonly Write[] {
  const known = knownWrites({ acknowledged, segments });
  for (const { after, upTo, state } of holesOf(segments)) {
    const there = new Set(state.map(({ uid }) => uid));
    for (const object of state) known.set(object.revision, { ...object, deleted: false });
    for (const object of replaced(sorted(known), after, upTo)) known.set(object.revision, object);
    const gone = stateAt(sorted(known), {}, upTo).filter(({ uid }) => !there.has(uid));
    // Their time of deletion is unknown. Each gets its own place just before the end.
    for (const [index, object] of gone.entries()) {
      const revision = upTo - (index + 1) / (gone.length + 1);
      known.set(revision, { ...object, revision, deleted: true });
    }
  }
  return sorted(known);
}

/** Deletions that must have been, since another object has taken the name: each just before that came. */
function replaced(writes: readonly Write[], after: number, upTo: number): readonly Write[] {
  const last = new Map<string, Write>();
  const gone: Write[] = [];
  for (const write of writes) {
    const before = last.get(write.name);
    last.set(write.name, write);
    if (before === undefined || before.deleted || before.uid === write.uid) continue;
    if (write.revision <= after || write.revision > upTo) continue;
    gone.push({ ...before, revision: write.revision - 0.5, deleted: true });
  }
  return gone;
}

function sorted(writes: ReadonlyMap<number, Write>): readonly Write[] {
  return [...writes.values()].sort((a, b) => a.revision - b.revision);
}

function knownWrites({ acknowledged, segments }: Pick<History, 'acknowledged' | 'segments'>): Map<number, Write> {
  const writes = new Map(acknowledged.map((write) => [write.revision, write]));
  const segmentsOfAll = segments.filter(({ selector }) => isEverything(selector));
  for (const frame of segmentsOfAll.flatMap((segment) => parts(segment).live)) {
    if (frame.type !== 'BOOKMARK' && !writes.has(frame.object.revision)) {
      writes.set(frame.object.revision, { ...frame.object, deleted: frame.type === 'DELETED' });
    }
  }
  return writes;
}

/**
 * The events a watch with this selector must see in (from, to]: objects that enter are ADDED, ones that leave DELETED.
 */
export function eventsBetween(writes: readonly Write[], selector: Selector, [from, to]: readonly [number, number]) {
  const last = new Map<string, Write>();
  const events: Exclude<Frame, { type: 'BOOKMARK' }>[] = [];
  for (const write of writes) {
    const previous = last.get(write.name);
    last.set(write.name, write);
    const was = previous !== undefined && !previous.deleted && matches(selector, previous);
    const is = !write.deleted && matches(selector, write);
    if (write.revision <= from || write.revision > to) continue;
    if (is) events.push({ type: was ? 'MODIFIED' : 'ADDED', object: write });
    else if (was) events.push({ type: 'DELETED', object: { ...previous, revision: write.revision } });
  }
  return events;
}

/** The objects a list with this selector must have at a revision. */
export function stateAt(writes: readonly Write[], selector: Selector, revision: number): readonly Seen[] {
  const last = new Map<string, Write>();
  for (const write of writes) if (write.revision <= revision) last.set(write.name, write);
  return [...last.values()].filter((write) => !write.deleted && matches(selector, write));
}
