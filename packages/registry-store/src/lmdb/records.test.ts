import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../mvcc/tables.js';
import {
  decodeCheckedFrom,
  decodeExpiry,
  decodeIndex,
  decodeLog,
  decodeMeta,
  encodeIndex,
  encodeLog,
  encodeMeta,
  expiryKey,
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

  it('may have an empty key and value', () => {
    const old = unchecked(record('', ''));
    expect(decodeLog(old, { revision: 1, checkedFrom: 2 })).toEqual({
      key: '',
      value: Buffer.alloc(0),
      previousRevision: 3,
    });
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

  it('has a revision even if it is damaged', () => {
    const damagedAt = (revision: number) => {
      const bytes = encodeIndex({ ...newest, revision });
      bytes[20] = (bytes[20] ?? 0) ^ 1;
      return decodeIndex(bytes, 1).revision;
    };
    expect([damagedAt(REVISION), damagedAt(0), decodeIndex(Buffer.alloc(16), 1).revision]).toEqual([REVISION, 1, 1]);
  });

  it('of a deletion round-trips', () => {
    const deletion = { revision: REVISION, deleted: true, expiresAt: 0 };
    expect(decodeIndex(encodeIndex(deletion), 1)).toEqual(deletion);
  });

  it('needs a checksum of its own if it has the size for one', () => {
    const bytes = Buffer.from(written);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    expect(decodeIndex(bytes, REVISION + 1)).toMatchObject({ damaged: true });
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
      'the store has format 9, this version reads formats 1 to 3',
    );
  });

  it.each([
    [written.subarray(0, 52), 'the meta record is too short'],
    [Buffer.from([1, ...written.subarray(1, 40)]), 'the meta record is too short'],
    [
      Buffer.from([...written.subarray(0, 52), (written.at(52) ?? 0) ^ 1]),
      'the meta record does not match its checksum',
    ],
    [Buffer.alloc(0), 'the store has format undefined, this version reads formats 1 to 3'],
  ])('is rejected with the reason %#', (bytes, message) => {
    const error = expect.objectContaining({ keyValueErrorCode: 'Corrupt', message });
    expect(() => decodeMeta(bytes)).toThrow(error);
    expect(() => decodeCheckedFrom(bytes)).toThrow(error);
  });

  it('from before checksums states that later records have one', () => {
    const old = Buffer.from(written.subarray(0, 41));
    old[0] = 1;
    expect([decodeMeta(old), decodeCheckedFrom(old)]).toEqual([meta, 10]);
  });
});

describe('a time to live', () => {
  it('round-trips', () => {
    const bytes = expiryKey({ key: '/k/é', expiresAt: REVISION });
    expect(decodeExpiry(bytes)).toEqual({ key: '/k/é', expiresAt: REVISION, id: bytes });
  });

  it.each(['10', '1000000000000005', '10000000000000000aff'])(
    'is found again by its bytes, whatever they are: %s',
    (hex) => {
      const bytes = Buffer.from(hex, 'hex');
      expect(expiryKey(decodeExpiry(bytes))).toEqual(bytes);
      expect(decodeExpiry(bytes).expiresAt).toBe(bytes.length < 9 ? 1 : 10);
    },
  );
});
