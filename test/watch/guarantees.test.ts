import { describe, expect, it } from 'vitest';
import { guarantees } from './guarantees.ts';
import type { Frame, History, Segment, Selector, Write } from './history.ts';

function write(revision: number, name: string, colour: string, options: Partial<Write> = {}): Write {
  return { name, uid: `uid-${name}`, colour, revision, content: `${name}-${revision}`, deleted: false, ...options };
}

const created = write(1, 'a', 'red');
const other = write(2, 'b', 'blue');
const turned = write(3, 'a', 'blue');
const gone = write(4, 'b', 'blue', { content: other.content, deleted: true });
const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Write): Frame => ({ type, object });
const bookmark = (revision: number, endsInitial = false): Frame => ({ type: 'BOOKMARK', revision, endsInitial });

const everything: readonly Frame[] = [
  event('ADDED', created),
  event('ADDED', other),
  event('MODIFIED', turned),
  event('DELETED', gone),
];

function segment(start: Segment['start'], frames: readonly Frame[], options: Partial<Segment> = {}): Segment {
  return { selector: {}, start, acknowledgedBefore: 0, frames, ...options };
}

/** A good watch of everything, and beside it those of the case. */
function history(...segments: readonly Segment[]): History {
  return {
    acknowledged: [created, other, turned],
    deletedUids: ['uid-b'],
    segments: [segment(0, everything), ...segments],
    compactionMs: 1_000,
  };
}

/**
 * A watch of all objects that saw the first write, returned too late for the next ones, and started again after them.
 */
function holed(...segments: readonly Segment[]): History {
  const later = [event('ADDED', turned), bookmark(4, true), event('ADDED', write(5, 'c', 'red'))];
  return {
    acknowledged: [created],
    deletedUids: ['uid-b'],
    segments: [segment(0, [first, second]), segment('initial', later), ...segments],
    compactionMs: 1_000,
  };
}

/** In the hole an object was made, deleted, and its name given to another one. */
function reused(): History {
  const again = write(5, 'd', 'red', { uid: 'uid-again' });
  const later = [event('ADDED', again), bookmark(6, true), event('ADDED', write(7, 'e', 'red'))];
  return {
    acknowledged: [created, write(3, 'd', 'blue'), again],
    deletedUids: ['uid-a', 'uid-d'],
    segments: [segment(0, [first]), segment('initial', later)],
    compactionMs: 1_000,
  };
}

function broken(of: History): readonly string[] {
  return Object.entries(guarantees)
    .filter(([, guarantee]) => guarantee(of).length > 0)
    .map(([name]) => name);
}

const red: Selector = { colours: ['red'] };
const left: Frame = { type: 'DELETED', object: { ...created, revision: 3 } };
const [first, second, third, fourth] = everything as [Frame, Frame, Frame, Frame];

describe('a history that keeps all guarantees', () => {
  it.each<[string, History]>([
    ['a watch of everything', history()],
    ['one that was broken off', history(segment(0, [first, second]))],
    ['one that went on', history(segment(2, [third, fourth]))],
    ['an object that left the selector', history(segment(0, [first, left], { selector: red }))],
    ['a selector by name', history(segment(0, [second, fourth], { selector: { name: 'b' } }))],
    ['initial events', history(segment('initial', [first, second, bookmark(2, true), third, bookmark(3), fourth]))],
    ['initial events that were broken off', history(segment('initial', [second]))],
    ['a refusal of what is old', history(segment(1, [], { refusal: { code: 410, startAgeMs: 1_500 } }))],
    ['a hole that nobody could see into, and what came after it', holed()],
    ['a name that went and came again in the hole', reused()],
    ['an object that came and went in the hole', { ...holed(), deletedUids: ['uid-b', 'uid-x'] }],
    ['a watch that went on in the hole', holed(segment(3, [fourth]))],
    ['one that began in it', holed(segment('initial', [event('ADDED', turned), bookmark(3, true)]))],
  ])('%s', (_name, good) => {
    expect(broken(good)).toEqual([]);
  });
});

describe('a history that breaks', () => {
  it.each<[string, readonly string[], History]>([
    ['the order', ['ordered'], history(segment(0, [second, first, third, fourth]))],
    ['uniqueness', ['unique'], history(segment(0, [first, first, second, third, fourth]))],
    [
      'uniqueness at the start',
      ['unique', 'bookmarkable'],
      history(segment('initial', [first, first, bookmark(1, true)])),
    ],
    ['reliability: an event is missing', ['reliable'], history(segment(0, [first, third, fourth]))],
    ['reliability before a bookmark', ['reliable'], history(segment(0, [first, bookmark(2)]))],
    ['reliability: left without a word', ['reliable'], history(segment(0, [first, bookmark(3)], { selector: red }))],
    ['reliability: of another kind', ['reliable'], history(segment(0, [event('MODIFIED', created)]))],
    ['reliability: not selected', ['reliable'], history(segment(0, [first, second], { selector: red }))],
    ['reliability: a deletion is lost', ['reliable'], { ...history(), deletedUids: ['uid-b', 'uid-c'] }],
    ['reliability: a known object is not deleted', ['reliable'], { ...holed(), deletedUids: ['uid-c'] }],
    ['reliability after a hole', ['reliable'], holed(segment(4, [event('ADDED', write(6, 'd', 'red'))]))],
    ['atomicity', ['atomic'], history(segment(0, [event('ADDED', { ...created, content: 'half' })]))],
    [
      'atomicity at the start',
      ['atomic'],
      history(segment('initial', [event('ADDED', { ...created, content: 'half' }), bookmark(1, true)])),
    ],
    [
      'atomicity: left as it became',
      ['atomic'],
      history(segment(0, [first, event('DELETED', turned)], { selector: red })),
    ],
    [
      'resumption: refused too early',
      ['resumable'],
      history(segment(1, [], { refusal: { code: 410, startAgeMs: 500 } })),
    ],
    [
      'resumption: refused otherwise',
      ['resumable'],
      history(segment(1, [], { refusal: { code: 404, startAgeMs: 5_000 } })),
    ],
    [
      'resumption: what is before the start',
      ['reliable', 'resumable', 'bookmarkable'],
      history(segment(2, [first, third, fourth])),
    ],
    ['bookmarks: an event it covers comes after', ['bookmarkable'], history(segment(0, [first, bookmark(2), second]))],
    ['bookmarks: back in time', ['bookmarkable'], history(segment(0, [first, second, bookmark(1)]))],
    [
      'bookmarks: two ends',
      ['bookmarkable'],
      history(segment('initial', [first, bookmark(1, true), bookmark(1, true)])),
    ],
    ['bookmarks: not all that was there', ['bookmarkable'], history(segment('initial', [first, bookmark(2, true)]))],
    [
      'bookmarks: stale',
      ['bookmarkable'],
      history(segment('initial', [first, bookmark(1, true)], { acknowledgedBefore: 2 })),
    ],
  ])('%s', (_name, names, bad) => {
    expect(broken(bad)).toEqual(names);
  });
});
