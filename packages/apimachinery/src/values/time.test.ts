import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../text/parse-error.js';
import { formatDuration, parseDuration } from './duration.js';
import { parseIntOrString, scaledIntOrPercent } from './int-or-string.js';
import { increment, parseInt64 } from './int64.js';
import { formatMicroTime, formatTime, parseMicroTime, parseTime, timeMilliseconds } from './time.js';

const AS_TIME = 'as "2006-01-02T15:04:05Z07:00": cannot parse';

describe('parseTime', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.999Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05,5Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T3:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2026-01-01T00:30:00-00:45', '2026-01-01T01:15:00Z'],
    ['0001-01-01T00:00:00Z', null],
    ['0001-01-01T01:00:00+01:00', null],
    ['0001-01-01T00:00:00.1Z', '0001-01-01T00:00:00Z'],
    ['0000-01-01T00:00:00+01:00', '-0001-12-31T23:00:00Z'],
    ['9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00Z'],
  ])('%s is %s', (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  it.each([
    ['', `parsing time "" ${AS_TIME} "" as "2006"`],
    ['soon', `parsing time "soon" ${AS_TIME} "soon" as "2006"`],
    ['2026', `parsing time "2026" ${AS_TIME} "" as "-"`],
    ['2026-1-01T00:00:00Z', `parsing time "2026-1-01T00:00:00Z" ${AS_TIME} "1-01T00:00:00Z" as "01"`],
    ['2026-13-01T00:00:00Z', 'parsing time "2026-13-01T00:00:00Z": month out of range'],
    ['2026-02-29T00:00:00Z', 'parsing time "2026-02-29T00:00:00Z": day out of range'],
    ['2026-01-01 00:00:00Z', `parsing time "2026-01-01 00:00:00Z" ${AS_TIME} " 00:00:00Z" as "T"`],
    ['2026-01-01T24:00:00Z', 'parsing time "2026-01-01T24:00:00Z": hour out of range'],
    ['2026-01-01T00:60:00Z', 'parsing time "2026-01-01T00:60:00Z": minute out of range'],
    ['2026-01-01T00:00:60Z', 'parsing time "2026-01-01T00:00:60Z": second out of range'],
    ['2026-01-01T00:00:00', `parsing time "2026-01-01T00:00:00" ${AS_TIME} "" as "Z07:00"`],
    ['2026-01-01T00:00:00+0100', `parsing time "2026-01-01T00:00:00+0100" ${AS_TIME} "+0100" as "Z07:00"`],
    ['2026-01-01T00:00:00+25:00', 'parsing time "2026-01-01T00:00:00+25:00": time zone offset hour out of range'],
    ['2026-01-01T00:00:00Z"', 'parsing time "2026-01-01T00:00:00Z\\"": extra text: "\\""'],
  ])('%o fails', (text, message) => {
    expect(() => parseTime(text)).toThrow(new ParseError(message));
  });

  it('round-trips every moment', () => {
    const moment = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, (date) => {
        expect(parseTime(date.toISOString())).toBe(formatTime(date.getTime()));
        expect(parseMicroTime(formatMicroTime(date.getTime()))).toBe(formatMicroTime(date.getTime()));
        expect(timeMilliseconds(formatMicroTime(date.getTime()))).toBe(date.getTime());
      }),
    );
  });
});

describe('parseMicroTime', () => {
  it('keeps six digits', () => {
    expect([parseMicroTime('2026-01-02T03:04:05.123456+01:00'), parseMicroTime('0001-01-01T00:00:00.000000Z')]).toEqual(
      ['2026-01-02T02:04:05.123456Z', null],
    );
    expect(formatMicroTime(1.5)).toBe('1970-01-01T00:00:00.001500Z');
  });

  it('reads a sign in place of the first digit', () => {
    const parsed = ['.+12345', '.-00000'].map((fraction) => parseMicroTime(`2026-01-02T03:04:05${fraction}Z`));
    expect(parsed).toEqual(['2026-01-02T03:04:05.012345Z', '2026-01-02T03:04:05.000000Z']);
    const text = '2026-01-02T03:04:05.-12345Z';
    const message = `parsing time "${text}": fractional second out of range`;
    expect(() => parseMicroTime(text)).toThrow(new ParseError(message));
  });

  it.each([
    ['2026-01-02T03:04:05Z', 'cannot parse "Z" as ".000000"'],
    ['2026-01-02T03:04:05.123Z', 'cannot parse ".123Z" as ".000000"'],
    ['2026-01-02T03:04:05.1234567Z', 'cannot parse "7Z" as "Z07:00"'],
  ])('%o fails', (text, fault) => {
    const message = `parsing time "${text}" as "2006-01-02T15:04:05.000000Z07:00": ${fault}`;
    expect(() => parseMicroTime(text)).toThrow(new ParseError(message));
  });
});

describe('durations', () => {
  it.each([
    ['0', '0s'],
    ['-0', '0s'],
    ['1h30m', '1h30m0s'],
    ['90s', '1m30s'],
    ['1.5s', '1.5s'],
    ['.5s', '500ms'],
    ['1.s', '1s'],
    ['-1.5h', '-1h30m0s'],
    ['1us', '1µs'],
    ['1500ns', '1.5µs'],
    ['1ns', '1ns'],
    ['100h', '100h0m0s'],
    ['0.1ns', '0s'],
    ['0.3333333333333333333h', '20m0s'],
    ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
  ])('%s is written %s', (text, written) => {
    expect(formatDuration(parseDuration(text))).toBe(written);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['3', 'time: missing unit in duration "3"'],
    ['9223372036854775808', 'time: missing unit in duration "9223372036854775808"'],
    ['9223372036854775809', 'time: invalid duration "9223372036854775809"'],
    ['-', 'time: invalid duration "-"'],
    ['s', 'time: invalid duration "s"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['1s é', 'time: unknown unit "s \\xc3\\xa9" in duration "1s \\xc3\\xa9"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['99999999999999999999x', 'time: invalid duration "99999999999999999999x"'],
  ])('%o fails', (text, message) => {
    expect(() => parseDuration(text)).toThrow(new ParseError(message));
  });

  it('reads its own output', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
        expect(parseDuration(formatDuration(nanoseconds))).toBe(nanoseconds);
      }),
    );
  });
});

describe('integers and percentages', () => {
  it('reads 64-bit integers', () => {
    expect(
      ['1', '+01', '-00', '-9223372036854775808', '9223372036854775808', '', '1.0', '0x1', ' 1', '+'].map(parseInt64),
    ).toEqual([1n, 1n, 0n, -9223372036854775808n, undefined, undefined, undefined, undefined, undefined, undefined]);
    expect(['80', '-1', '2147483648', 'http', '25%'].map(parseIntOrString)).toEqual([
      80,
      -1,
      '2147483648',
      'http',
      '25%',
    ]);
  });

  it('increments as Go does', () => {
    expect([undefined, 1, -(2n ** 63n), 2 ** 53 - 1, 2n ** 63n - 1n].map(increment)).toEqual([
      1,
      2,
      1n - 2n ** 63n,
      2n ** 53n,
      -(2n ** 63n),
    ]);
  });

  it('scales percentages', () => {
    expect([
      scaledIntOrPercent(3, 10, true),
      scaledIntOrPercent('25%', 10, true),
      scaledIntOrPercent('25%', 10, false),
      scaledIntOrPercent('120%', 10, false),
    ]).toEqual([3, 3, 2, 12]);
  });

  it.each([
    [undefined, 'nil value for IntOrString'],
    ['x', 'invalid value for IntOrString: invalid type: string is not a percentage'],
    ['x%', 'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax'],
    [
      '99999999999999999999%',
      'invalid value for IntOrString: invalid value "99999999999999999999%": strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
  ])('refuses %o', (value, message) => {
    expect(() => scaledIntOrPercent(value, 10, true)).toThrow(new ParseError(message));
  });
});
