import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../mvcc/tables.js';
import {
  decodeCheckedFrom,
  decodeIndex,
  decodeLog,
  decodeMeta,
  encodeIndex,
  encodeLog,
  encodeMeta,
  valueInLog,
} from './records.js';

const REVISION = 2 ** 32 + 7;
const place = { revision: REVISION, checkedFrom: 1 };
const record = (key: string, value: string | undefined) =>
  encodeLog({ key, value: value === undefined ? undefined : Buffer.from(value), previousRevision: 3 }, REVISION);
/** In the format from before checksums. */
const unchecked = (bytes: Buffer): Buffer => {
  const old = Buffer.from(bytes.subarray(0, -4));
  old[8] = (old[8] ?? 0) & 1;
  return old;
};
const flips = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return changed;
  });

describe('valueInLog', () => {
  it.each<[what: string, stored: string, requested: string, found: boolean]>([
    ['the key', '/k/a', '/k/a', true],
    ['a shorter one', '/k/ab', '/k/a', false],
    ['a longer one', '/k/a', '/k/ab', false],
    ['another one', '/k/a', '/k/b', false],
    ['one that is not ASCII', '/k/é', '/k/é', true],
    ['its bytes taken for characters', '/k/é', '/k/Ã©', false],
    ['characters whose bytes are others', '/k/é', '/k/e', false],
    ['one beyond the basic plane', '/k/\u{1f600}', '/k/\u{1f600}', true],
  ])('finds the value by %s', (_, stored, requested, found) => {
    expect(valueInLog(record(stored, 'value'), requested, place)?.toString()).toBe(found ? 'value' : undefined);
  });

  it('distinguishes an empty value from a deletion', () => {
    expect(valueInLog(record('/k/a', ''), '/k/a', place)).toHaveLength(0);
    expect(valueInLog(record('/k/a', undefined), '/k/a', place)).toBeUndefined();
  });
});

describe('a log record', () => {
  const written = record('/k/a', 'value');
  const whole: LogRecord = { key: '/k/a', value: Buffer.from('value'), previousRevision: 3 };
  const damaged = expect.objectContaining({ damaged: true });

  it('round-trips', () => {
    expect(decodeLog(written, place)).toEqual(whole);
    expect(decodeLog(record('/k/a', undefined), place)).toEqual({ ...whole, value: undefined });
  });

  it('is damaged if any bit of it changes', () => {
    for (const bytes of flips(written)) {
      expect([decodeLog(bytes, place), valueInLog(bytes, '/k/a', place)]).toEqual([damaged, undefined]);
    }
  });

  it('is damaged if it is truncated, or in the place of another one', () => {
    for (let length = 0; length < written.length; length++) {
      expect(decodeLog(written.subarray(0, length), place)).toEqual(damaged);
    }
    expect(decodeLog(written, { ...place, revision: REVISION + 1 })).toEqual(damaged);
  });

  it('needs no checksum if it predates them', () => {
    const old = unchecked(written);
    expect(decodeLog(old, { revision: REVISION, checkedFrom: REVISION + 1 })).toEqual(whole);
    expect(decodeLog(old, { revision: REVISION, checkedFrom: REVISION })).toEqual(damaged);
  });
});

describe('an index record', () => {
  const newest = { revision: REVISION, deleted: false, expiresAt: 5 };
  const written = encodeIndex(newest);

  it('round-trips', () => expect(decodeIndex(written, 1)).toEqual(newest));

  it('is damaged if any bit of it changes, or if it is truncated', () => {
    const cut = Array.from({ length: written.length }, (_, length) => written.subarray(0, length));
    for (const bytes of [...flips(written), ...cut]) {
      expect(decodeIndex(bytes, 1)).toMatchObject({ damaged: true, deleted: false, expiresAt: 0 });
      expect(decodeIndex(bytes, 1).revision).toBeGreaterThan(0);
    }
  });

  it('needs no checksum if it predates them', () => {
    const old = written.subarray(0, -4);
    expect(decodeIndex(old, REVISION + 1)).toEqual(newest);
    expect(decodeIndex(old, REVISION)).toMatchObject({ damaged: true });
  });
});

describe('the meta record', () => {
  const meta = { revision: 9, compactedRevision: 5, prunedRevision: 4, tickTime: 3, tickRevision: 2 };
  const written = encodeMeta(meta, 6);

  it('round-trips', () => expect([decodeMeta(written), decodeCheckedFrom(written)]).toEqual([meta, 6]));

  it('is rejected if any bit of it changes, or if it is truncated', () => {
    const cut = Array.from({ length: written.length }, (_, length) => written.subarray(0, length));
    for (const bytes of [...flips(written).slice(8), ...cut]) expect(() => decodeMeta(bytes)).toThrow(/meta|format/);
    expect(() => decodeMeta(Buffer.concat([Buffer.from([9]), written.subarray(1)]))).toThrow(
      'the store has format 9, this version reads formats 1 and 2',
    );
  });

  it('from before checksums states that later records have one', () => {
    const old = Buffer.from(written.subarray(0, 41));
    old[0] = 1;
    expect([decodeMeta(old), decodeCheckedFrom(old)]).toEqual([meta, 10]);
  });
});
