import { describe, expect, it } from 'vitest';
import type { KeyValue } from '../key-value-store.js';
import type { IndexRecord, LogRecord, MvccTables } from './tables.js';
import { VersionReader } from './version-reader.js';

const DAMAGED: LogRecord = { key: '', value: undefined, previousRevision: 0, damaged: true };
const put = (value: string, previousRevision: number): LogRecord => ({
  key: '/a',
  value: Buffer.from(value),
  previousRevision,
});

/** Versions of `/a`: a value at 3, a deletion at 5, a value at 7, and one whose record is damaged at 9. */
const log = new Map<number, LogRecord>([
  [3, put('three', 0)],
  [5, { key: '/a', value: undefined, previousRevision: 3 }],
  [7, put('seven', 5)],
  [9, DAMAGED],
]);
const tables: Partial<MvccTables> = { readLog: (revision) => log.get(revision) };
const reader = new VersionReader(tables as MvccTables);
const newestAt = (revision: number): IndexRecord => ({ revision, deleted: revision === 5, expiresAt: 0 });
const damagedIndex: IndexRecord = { ...newestAt(7), damaged: true };

const shown = (kv: KeyValue | undefined): string | undefined =>
  kv && `${kv.damage?.message ?? Buffer.from(kv.value).toString()}@${kv.modRevision}`;
const damage = (key: string, revision: number, why: string) =>
  `what the store has of ${key} at revision ${revision} is damaged: ${why}@${revision}`;

describe('a key at a revision', () => {
  it.each<[string, IndexRecord | undefined, number, string | undefined, boolean]>([
    ['is not there', undefined, 9, undefined, false],
    ['is the newest', newestAt(7), 7, 'seven@7', true],
    ['is the newest since long', newestAt(7), 99, 'seven@7', true],
    ['was deleted then', newestAt(7), 6, undefined, false],
    ['had another value', newestAt(7), 4, 'three@3', true],
    ['had its first value', newestAt(7), 3, 'three@3', true],
    ['was not there yet', newestAt(7), 2, undefined, false],
    ['is deleted', newestAt(5), 5, undefined, false],
    ['was not deleted yet', newestAt(5), 4, 'three@3', true],
    ['has a damaged value', newestAt(9), 9, damage('/a', 9, 'it does not match its checksum'), true],
    [
      'had a value that a damaged one replaced',
      newestAt(9),
      8,
      damage('/a', 9, 'it does not match its checksum'),
      true,
    ],
    ['has a value without its record', newestAt(8), 8, damage('/a', 8, 'its value is missing'), true],
    ['had a value before one without its record', newestAt(8), 7, undefined, false],
    [
      'has a damaged index record since long',
      damagedIndex,
      2,
      damage('/a', 7, 'its index record does not match its checksum'),
      true,
    ],
    [
      'has a damaged index record',
      damagedIndex,
      3,
      damage('/a', 7, 'its index record does not match its checksum'),
      true,
    ],
  ])('%s', (_, newest, ...[revision, expected, exists]) => {
    expect(shown(reader.at('/a', newest, revision))).toBe(expected);
    if (newest !== undefined) expect(reader.exists(newest, revision)).toBe(exists);
  });

  it('has the value of no other key, and none of a deletion', () => {
    expect(shown(reader.at('/b', newestAt(7), 7))).toBe(damage('/b', 7, 'its value is missing'));
    expect(shown(reader.at('/a', { ...newestAt(5), deleted: false }, 5))).toBe(damage('/a', 5, 'its value is missing'));
  });

  it('with damage has no value', () => {
    expect(reader.at('/a', damagedIndex, 9)).toMatchObject({ key: '/a', value: new Uint8Array(0) });
    expect(reader.at('/a', newestAt(9), 9)?.damage).toMatchObject({ keyValueErrorCode: 'Corrupt' });
  });
});

it.each<[number, string | undefined]>([
  [0, undefined],
  [3, 'three@3'],
  [5, undefined],
  [8, undefined],
  [9, damage('/a', 9, 'it does not match its checksum')],
])('a record that replaced the version of %i knows it', (previousRevision, expected) => {
  expect(shown(reader.before(put('later', previousRevision)))).toBe(expected);
});
