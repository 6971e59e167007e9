import { describe, expect, it } from 'vitest';
import { parseBool, tryParseBool } from './parse-bool.js';
import { ParseError } from './parse-error.js';

describe('parseBool', () => {
  it.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('reads %s as true', (text) => {
    expect([parseBool(text), tryParseBool(text)]).toEqual([true, true]);
  });

  it.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('reads %s as false', (text) => {
    expect([parseBool(text), tryParseBool(text)]).toEqual([false, false]);
  });

  it.each([
    ['', '""'],
    ['tRUE', '"tRUE"'],
    ['yes', '"yes"'],
    ['10', '"10"'],
    ['xt', '"xt"'],
    ['\u00ad\u0007', String.raw`"\u00ad\a"`],
  ])('refuses %j and quotes it as Go', (text, quoted) => {
    expect(() => parseBool(text)).toThrow(new ParseError(`strconv.ParseBool: parsing ${quoted}: invalid syntax`));
    expect(tryParseBool(text)).toBe(undefined);
  });
});
