import { expect, it } from 'vitest';
import { TableWriter } from './table-writer.js';
import type { IndexRecord, MvccTables } from './tables.js';

const meta = { revision: 9, compactedRevision: 0, prunedRevision: 0, tickTime: 0, tickRevision: 0 };
const at = (revision: number, expiresAt = 0): IndexRecord => ({ revision, deleted: false, expiresAt });

function writerOver(stored: Readonly<Record<string, IndexRecord>>): TableWriter {
  const tables: Partial<MvccTables> = { readIndex: (key) => stored[key] };
  return new TableWriter(tables as MvccTables);
}

const expiriesOf = (writer: TableWriter) =>
  [...writer.writes(meta).expiries].map(({ key, expiresAt, present }) => [key, expiresAt, present]);

it('reads its own writes before those of the tables', () => {
  const writer = writerOver({ '/a': at(3), '/b': at(4) });
  writer.putVersion('/a', undefined, at(9), at(3));
  writer.index.set('/b', undefined);
  expect(['/a', '/b', '/c'].map((key) => writer.readIndex(key))).toEqual([at(9), undefined, undefined]);
  expect(writerOver({ '/a': at(3) }).readIndex('/a')).toEqual(at(3));
});

it.each<[string, (writer: TableWriter) => void, boolean]>([
  ['nothing', () => {}, true],
  ['an index record', (writer) => void writer.index.set('/a', undefined), false],
  ['a log record', (writer) => void writer.log.set(1, undefined), false],
])('knows if it is empty: with %s', (_, write, empty) => {
  const writer = writerOver({});
  write(writer);
  expect(writer.empty).toBe(empty);
});

it.each<[string, IndexRecord | undefined, number]>([
  ['none', undefined, 0],
  ['an earlier one', at(3), 3],
  ['one whose index record is damaged', { ...at(3), damaged: true }, 0],
])('links a version to %s', (_, before, previousRevision) => {
  const writer = writerOver({});
  const value = Buffer.from('v');
  writer.putVersion('/a', value, at(9), before);
  const writes = writer.writes(meta);
  expect([[...writes.index], [...writes.log]]).toEqual([
    [['/a', at(9)]],
    [[9, { key: '/a', value, previousRevision }]],
  ]);
  expect(writes.meta).toBe(meta);
});

it.each<[string, number, number, unknown[]]>([
  ['begins', 0, 5, [['/a', 5, true]]],
  ['ends', 5, 0, [['/a', 5, false]]],
  [
    'changes',
    5,
    6,
    [
      ['/a', 5, false],
      ['/a', 6, true],
    ],
  ],
  ['stays', 5, 5, [['/a', 5, true]]],
  ['is none', 0, 0, []],
])('writes a time to live that %s', (_, before, after, expected) => {
  const writer = writerOver({});
  writer.putVersion('/a', undefined, at(9, after), at(3, before));
  expect(expiriesOf(writer)).toEqual(expected);
});

it('tells the times to live of several keys apart, and removes one without a time by its id', () => {
  const writer = writerOver({});
  writer.setExpiry({ key: '/a', expiresAt: 5 }, true);
  writer.setExpiry({ key: '/b', expiresAt: 5 }, true);
  writer.setExpiry({ key: '/c', expiresAt: 0 }, true);
  writer.setExpiry({ key: '/d', expiresAt: 0, id: Buffer.from('d') }, false);
  expect(expiriesOf(writer)).toEqual([
    ['/a', 5, true],
    ['/b', 5, true],
    ['/d', 0, false],
  ]);
});
