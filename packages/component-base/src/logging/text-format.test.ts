import { describe, expect, it } from 'vitest';
import type { LogRecord } from './log-record.js';
import { formatText } from './text-format.js';

class StatusLikeError extends Error {
  override readonly name = 'StatusLikeError';
}

/** Node's error for a missing file. */
const missingFile = Object.assign(new Error("ENOENT: no such file or directory, open '/none'"), {
  ...{ code: 'ENOENT', syscall: 'open', path: '/none' },
});
const inGo = new StatusLikeError('open /none: no such file or directory', { cause: missingFile });
const toldByItself = new StatusLikeError(`a: ${inGo.message} [b]`, { cause: inGo });
const endless = new StatusLikeError('endless');
endless.cause = endless;
const bare: { own?: unknown } = Object.create(null);
bare.own = bare;

const base: LogRecord = {
  severity: 'I',
  time: new Date(2026, 2, 4, 5, 6, 7, 89),
  level: 0,
  logger: '',
  message: 'Serving',
  fields: undefined,
};

const rows: readonly [string, Partial<LogRecord>, string][] = [
  ['text alone', {}, 'I0304 05:06:07.089000      42 kube-apiserver] Serving\n'],
  [
    'fields',
    {
      logger: 'storage',
      fields: { path: '/a b', count: 3, on: true, none: undefined, at: new Date(0), list: [1, 'x'] },
    },
    'I0304 05:06:07.089000      42 storage] "Serving" path="/a b" count=3 on=true none=<nil> at="1970-01-01T00:00:00.000Z" list=[1,"x"]\n',
  ],
  [
    'a message with lines',
    { severity: 'W', message: 'one\ntwo', fields: {} },
    'W0304 05:06:07.089000      42 kube-apiserver] "one\\ntwo"\n',
  ],
  [
    'values with lines',
    { severity: 'E', error: new StatusLikeError('one\ntwo'), fields: { ends: 'a\n', empty: '\n', last: 1 } },
    'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err=<\n\tone\n\ttwo\n > ends=<\n\ta\n > empty=<\n\t\n > last=1\n',
  ],
  [
    'unprintable characters',
    { message: '\u0085\u007f', fields: { text: 'é\u2028\u001b', lines: 'a\n\u001b', list: ['<\u2028'] } },
    'I0304 05:06:07.089000      42 kube-apiserver] "\\u0085\\x7f" text="é\\u2028\\x1b" lines="a\\n\\x1b" list=["\\u003c\\u2028"]\n',
  ],
  [
    'an error that needs no stack',
    { severity: 'E', error: new StatusLikeError('taken', { cause: new Error('why') }) },
    'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="taken: why"\n',
  ],
  [
    'an error that tells its cause itself',
    { severity: 'E', error: new StatusLikeError('flag: why', { cause: new Error('why') }) },
    'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="flag: why"\n',
  ],
  [
    'causes that an error tells in the middle, or in the words of Go',
    { severity: 'E', error: toldByItself },
    'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="a: open /none: no such file or directory [b]"\n',
  ],
  [
    'a file of a cause that an error does not tell',
    { severity: 'E', error: new StatusLikeError('taken', { cause: missingFile }) },
    'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="taken: open /none: no such file or directory"\n',
  ],
  [
    'an error that is its own cause',
    { severity: 'E', error: endless },
    'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="endless"\n',
  ],
  [
    'an error in a field, with its cause',
    { fields: { error: new StatusLikeError('taken', { cause: missingFile }) } },
    'I0304 05:06:07.089000      42 kube-apiserver] "Serving" error="taken: open /none: no such file or directory"\n',
  ],
  [
    'values that cannot be texts',
    { fields: { bare, date: new Date(Number.NaN), list: [1n] } },
    'I0304 05:06:07.089000      42 kube-apiserver] "Serving" bare="[object Object]" date="Invalid Date" list=[1]\n',
  ],
  [
    'something thrown that is no error',
    { severity: 'E', error: { odd: true } },
    'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="{\\"odd\\":true}"\n',
  ],
];

describe('formatText', () => {
  it.each(rows)('%s', (_name, record, line) => {
    expect(formatText({ ...base, ...record }, 42)).toBe(line);
  });

  it('adds the stack of a bug', () => {
    const bug = new TypeError('x is not a function');
    expect(formatText({ ...base, severity: 'E', error: bug }, 42)).toBe(
      `E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="x is not a function"\n${bug.stack}\n`,
    );
  });

  it('adds the stack of a bug among other errors', () => {
    const bug = new RangeError('too deep');
    const error = new AggregateError([new StatusLikeError('taken'), bug], '[taken, too deep]');
    expect(formatText({ ...base, severity: 'E', error }, 42)).toBe(
      `E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="[taken, too deep]"\n${bug.stack}\n`,
    );
  });

  it('adds no stack of an error whose class has no name', () => {
    class RefusedError extends Error {}
    expect(formatText({ ...base, severity: 'E', error: new RefusedError('no') }, 42)).toBe(
      'E0304 05:06:07.089000      42 kube-apiserver] "Serving" err="no"\n',
    );
  });

  it('quotes the lines of a message in the stack', () => {
    const bug = new TypeError('x\nE0304 05:06:07.089000      42 kube-apiserver] "forged\u001b"');
    const [first, second, ...frames] = formatText({ ...base, severity: 'E', error: bug }, 42).split('\n');
    const message = String.raw`"x\nE0304 05:06:07.089000      42 kube-apiserver] \"forged\x1b\""`;
    expect([first, second, frames[0]]).toEqual([
      `E0304 05:06:07.089000      42 kube-apiserver] "Serving" err=${message}`,
      `TypeError: ${message}`,
      expect.stringMatching(/^ +at /),
    ]);
  });

  it('survives values that are not JSON', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(formatText({ ...base, fields: { circular } }, 42)).toContain('circular="[object Object]"');
  });
});
