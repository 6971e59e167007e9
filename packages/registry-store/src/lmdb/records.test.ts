import { describe, expect, it } from 'vitest';
import { encodeLog, valueInLog } from './records.js';

const record = (key: string, value: string | undefined) =>
  encodeLog({ key, value: value === undefined ? undefined : Buffer.from(value), previousRevision: 3 });

describe('valueInLog', () => {
  it.each<[what: string, stored: string, asked: string, found: boolean]>([
    ['the key', '/k/a', '/k/a', true],
    ['a shorter one', '/k/ab', '/k/a', false],
    ['a longer one', '/k/a', '/k/ab', false],
    ['another one', '/k/a', '/k/b', false],
    ['one that is not ASCII', '/k/é', '/k/é', true],
    ['its bytes taken for characters', '/k/é', '/k/Ã©', false],
    ['characters whose bytes are others', '/k/é', '/k/e', false],
    ['one beyond the basic plane', '/k/\u{1f600}', '/k/\u{1f600}', true],
  ])('finds the value by %s', (_, stored, asked, found) => {
    expect(valueInLog(record(stored, 'value'), asked)?.toString()).toBe(found ? 'value' : undefined);
  });

  it('knows an empty value from a deletion', () => {
    expect(valueInLog(record('/k/a', ''), '/k/a')).toHaveLength(0);
    expect(valueInLog(record('/k/a', undefined), '/k/a')).toBeUndefined();
  });

  it.each([0, 5, 12])('refuses a record that ends after %i bytes', (length) => {
    const cut = record('/k/a', 'value').subarray(0, length);
    expect(() => valueInLog(cut, '/k/a')).toThrow('a log record is too short');
  });
});
