import {
  eventsBetween,
  type Frame,
  type History,
  holesOf,
  parts,
  revisionOf,
  type Segment,
  stateAt,
  touchesHole,
  writesOf,
} from './history.ts';

/** Violations of one guarantee in a history, as sentences; empty if there are none. */
export type Guarantee = (history: History) => readonly string[];

const describeFrame = (frame: Frame) =>
  frame.type === 'BOOKMARK'
    ? `BOOKMARK@${frame.revision}`
    : `${frame.type} ${frame.object.name}@${frame.object.revision}`;

const describeSegment = ({ start, selector }: Segment) => `watch from ${start} of ${JSON.stringify(selector)}`;

function perSegment(check: (segment: Segment) => readonly string[]): Guarantee {
  return ({ segments }) =>
    segments.flatMap((segment) => check(segment).map((wrong) => `${describeSegment(segment)}: ${wrong}`));
}

/** The same for checks that need the history: segments with unknown revisions are omitted. */
function perKnownSegment({ segments }: History, check: (segment: Segment) => readonly string[]): readonly string[] {
  const holes = holesOf(segments);
  const known = segments.filter((segment) => {
    const { from, live } = parts(segment);
    return from !== undefined && !touchesHole(holes, from, Math.max(from, ...live.map(revisionOf)));
  });
  return known.flatMap((segment) => check(segment).map((wrong) => `${describeSegment(segment)}: ${wrong}`));
}

/** Events come in the order of their revisions. */
const ordered = perSegment((segment) => {
  const live = parts(segment).live.filter(({ type }) => type !== 'BOOKMARK');
  return live.flatMap((frame, index) => {
    const before = live[index - 1];
    return before !== undefined && revisionOf(before) > revisionOf(frame)
      ? [`${describeFrame(frame)} after ${describeFrame(before)}`]
      : [];
  });
});

/** No watch sees a revision twice, and none of the objects it begins with comes twice. */
const unique = perSegment((segment) => {
  const { initial, live } = parts(segment);
  const names = initial.map((frame) => (frame.type === 'BOOKMARK' ? '' : frame.object.name));
  const revisions = live.filter(({ type }) => type !== 'BOOKMARK').map(revisionOf);
  return [
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} twice at the start`),
    ...revisions.filter((revision, index) => revisions.indexOf(revision) !== index).map((twice) => `${twice} twice`),
  ];
});

/** Up to its newest revision a watch saw every change, and every acknowledged write is a change. */
function reliable(history: History): readonly string[] {
  const writes = writesOf(history);
  const deleted = new Set(writes.filter((write) => write.deleted).map(({ uid }) => uid));
  const missed = perKnownSegment(history, (segment) => {
    const { from, live } = parts(segment);
    if (from === undefined) return [];
    const seen = new Set(live.map(describeFrame));
    const expected = eventsBetween(writes, segment.selector, [from, Math.max(from, ...live.map(revisionOf))]);
    const wanted = new Set(expected.map(describeFrame));
    return [
      ...[...wanted].filter((event) => !seen.has(event)).map((event) => `missed ${event}`),
      ...live
        .filter(({ type }) => type !== 'BOOKMARK')
        .map(describeFrame)
        .filter((event) => !wanted.has(event))
        .map((event) => `made up ${event}`),
    ];
  });
  const unseen = history.deletedUids.filter((uid) => !deleted.has(uid) && !isWithinHole(history, uid));
  return [...missed, ...unseen.map((uid) => `the deletion of ${uid} was never seen`)];
}

/**
 * Reports whether an object may have come and gone within a hole: no response and no watch ever showed it. A server
 * that was killed had stored it, and its client got no response.
 */
function isWithinHole({ acknowledged, segments }: History, uid: string): boolean {
  const shown = segments.flatMap(({ frames }) =>
    frames.flatMap((frame) => (frame.type === 'BOOKMARK' ? [] : [frame.object])),
  );
  return holesOf(segments).length > 0 && ![...acknowledged, ...shown].some((object) => object.uid === uid);
}

/** An event carries the whole object just as its write left it (or, when it went, as it was before). */
function atomic(history: History): readonly string[] {
  const writes = writesOf(history);
  return perKnownSegment(history, (segment) => {
    const { initial, from, live } = parts(segment);
    if (from === undefined) return [];
    const expected = eventsBetween(writes, segment.selector, [from, Math.max(from, ...live.map(revisionOf))]);
    const right = [...stateAt(writes, segment.selector, from), ...expected.map(({ object }) => object)];
    const contents = new Map(right.map(({ revision, content }) => [revision, content]));
    return [...initial, ...live].flatMap((frame) => {
      if (frame.type === 'BOOKMARK') return [];
      const content = contents.get(frame.object.revision);
      return content === undefined || content === frame.object.content
        ? []
        : [`${describeFrame(frame)} is ${frame.object.content} and not ${content}`];
    });
  });
}

/**
 * A watch goes on right after the revision it was given; it is refused only with 410, and only when that is old enough
 * to be gone.
 */
function resumable(history: History): readonly string[] {
  return perSegment(({ start, frames, refusal }) => {
    const old = start === 'initial' ? undefined : frames.find((frame) => revisionOf(frame) < start);
    const wrong = old === undefined ? [] : [`${describeFrame(old)} is older than the start`];
    if (refusal === undefined) return wrong;
    if (refusal.code !== 410 || start === 'initial') return [...wrong, `refused with ${refusal.code}`];
    const young = refusal.startAgeMs < history.compactionMs;
    return young ? [...wrong, `410 for a revision of ${refusal.startAgeMs} ms`] : wrong;
  })(history);
}

/**
 * Every event up to a bookmark's revision came before it, and none after it. The bookmark that ends the initial events
 * follows the complete, fresh state.
 */
function bookmarkable(history: History): readonly string[] {
  const writes = writesOf(history);
  return perKnownSegment(history, (segment) => {
    const { initial, from, live } = parts(segment);
    if (from === undefined) return [];
    const wrong = live.flatMap((frame, index) => {
      if (frame.type === 'BOOKMARK' && frame.endsInitial) return ['a second end of the initial events'];
      const before = live.slice(0, index).findLast(({ type }) => type === 'BOOKMARK');
      const bookmark = before === undefined ? from : revisionOf(before);
      const late = frame.type === 'BOOKMARK' ? revisionOf(frame) < bookmark : revisionOf(frame) <= bookmark;
      const outrun =
        frame.type === 'BOOKMARK' && live.slice(0, index).some((event) => revisionOf(event) > frame.revision);
      return late || outrun ? [`${describeFrame(frame)} contradicts a bookmark`] : [];
    });
    return segment.start === 'initial' ? [...wrong, ...wrongState(initial, from, segment)] : wrong;
  });

  function wrongState(initial: readonly Frame[], revision: number, { selector, acknowledgedBefore }: Segment) {
    const received = initial.map(describeFrame).sort();
    const right = stateAt(writes, selector, revision).map((object) => describeFrame({ type: 'ADDED', object }));
    return [
      ...(received.join() === right.sort().join() ? [] : [`began with ${received} and not ${right} at ${revision}`]),
      ...(revision < acknowledgedBefore ? [`began at ${revision} when ${acknowledgedBefore} was acknowledged`] : []),
    ];
  }
}

/** The promises of a watch. Upstream: etcd.io/docs/v3.6/learning/api_guarantees, "Watch APIs". */
export const guarantees: Readonly<Record<string, Guarantee>> = {
  ordered,
  unique,
  reliable,
  atomic,
  resumable,
  bookmarkable,
};
