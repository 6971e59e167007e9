import { expect, it } from 'vitest';
import { formatJson } from './json-format.js';
import type { LogRecord } from './log-record.js';

const START: LogRecord = {
  severity: 'I',
  time: new Date(1_780_000_000_123),
  level: 0,
  logger: '',
  message: 'hello',
  fields: undefined,
};
const failed = Object.assign(new Error('no', { cause: new Error('why') }), { code: 'ENO' });

it.each<[string, Partial<LogRecord>, string]>([
  ['a level', { level: 3, logger: 'storage' }, '"logger":"storage","msg":"hello","v":3'],
  ['a warning', { severity: 'W' }, '"msg":"hello","v":0'],
  ['fields', { fields: { b: '<a>\n', a: [1, { c: true }] } }, '"msg":"hello","v":0,"b":"<a>\\n","a":[1,{"c":true}]'],
  ['integers', { fields: { a: 1n, b: 2n ** 63n } }, '"msg":"hello","v":0,"a":1,"b":"9223372036854775808"'],
  ['nothing', { fields: { a: undefined, b: null } }, '"msg":"hello","v":0,"a":null,"b":null'],
  ['an error in a field', { fields: { a: failed } }, '"msg":"hello","v":0,"a":"no: why"'],
  ['a field named as a member', { fields: { v: 'a', msg: 1 } }, '"msg":"hello","v":0,"v":"a","msg":1'],
  ['an error', { severity: 'E', error: failed, fields: { a: 1 } }, '"msg":"hello","a":1,"err":"no: why"'],
  ['an error alone', { severity: 'E' }, '"msg":"hello"'],
])('writes the members of a line in the order of upstream: %s', (_, record, members) => {
  expect(formatJson({ ...START, ...record })).toBe(`{"ts":1780000000123,${members}}\n`);
});

it('writes the stack of a bug, and values without a JSON form', () => {
  const bug = new TypeError('x is not a function');
  const circle: { own?: unknown } = {};
  circle.own = circle;
  const line = JSON.parse(formatJson({ ...START, severity: 'E', error: bug, fields: { circle } }));
  expect(line).toMatchObject({ err: bug.message, stacktrace: bug.stack, circle: '[object Object]' });
});

it('writes a value that cannot be a text', () => {
  const bare: { own?: unknown } = Object.create(null);
  bare.own = bare;
  const fields = { bare, none: () => {}, date: new Date(Number.NaN) };
  const line = JSON.parse(formatJson({ ...START, fields }));
  expect(line).toMatchObject({ bare: '[object Object]', none: '() => {}', date: null });
});
