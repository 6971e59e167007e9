import { describe, expect, it } from 'vitest';
import { VersionFlag } from './version-flag.js';

describe('VersionFlag', () => {
  it.each([
    ['true', 'short', 'true'],
    ['1', 'short', 'true'],
    ['raw', 'raw', 'raw'],
    ['false', 'no', 'false'],
  ])('%s', (text, request, shown) => {
    const flag = new VersionFlag();
    flag.set(text);
    expect([flag.request, flag.toString()]).toEqual([request, shown]);
  });

  it('refuses anything else', () => {
    expect(() => new VersionFlag().set('v1.35.0')).toThrow('strconv.ParseBool: parsing "v1.35.0": invalid syntax');
  });
});
