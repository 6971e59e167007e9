import { describe, expect, it } from 'vitest';
import type { LogRecord } from './log-record.js';
import { LogVerbosity } from './log-verbosity.js';
import { createLogger } from './logger.js';
import { parseVModule } from './vmodule.js';

const time = new Date(0);

function recording(verbosity: number, vmodule = '') {
  const records: LogRecord[] = [];
  const logger = createLogger({
    verbosity: { level: verbosity },
    vmodule: parseVModule(vmodule),
    now: () => time,
    write: (record) => records.push(record),
  });
  return { logger, records };
}

describe('createLogger', () => {
  it('writes enabled records, with level and name', () => {
    const { logger, records } = recording(2);
    const storage = logger.named('storage');
    const thrown = new Error('no');
    logger.info('a');
    storage.v(2)?.info('b', { key: 1 });
    storage.v(3)?.info('never');
    storage.named('lmdb').warning('c');
    storage.error(thrown, 'd');
    const record = (severity: string, logger: string, message: string, rest: object) => ({
      severity,
      time,
      level: 0,
      logger,
      message,
      fields: undefined,
      error: undefined,
      ...rest,
    });
    expect(records).toEqual([
      record('I', '', 'a', {}),
      record('I', 'storage', 'b', { level: 2, fields: { key: 1 } }),
      record('W', 'storage.lmdb', 'c', {}),
      record('E', 'storage', 'd', { error: thrown }),
    ]);
  });

  it.each([
    ['storage=4', 'storage', 4],
    ['storage=4', 'storage.lmdb', 1],
    ['stor*=4', 'storage.lmdb', 4],
    ['s?orage=3,*=2', 'storage', 3],
    ['s?orage=3,*=2', 'other', 2],
    ['a.c=5', 'abc', 1],
  ])('--vmodule=%s gives %s level %i', (patterns, name, level) => {
    const logger = recording(1, patterns).logger.named(name);
    expect([logger.v(level) !== undefined, logger.v(level + 1) !== undefined]).toEqual([true, false]);
  });
});

it('-v changes while the server runs, but for parts that a pattern names', () => {
  const verbosity = new LogVerbosity(0);
  const logger = createLogger({ verbosity, vmodule: parseVModule('storage=1'), now: () => time, write: () => {} });
  const levels = () => [logger, logger.named('storage')].map((one) => [1, 2, 3].filter((level) => one.v(level)));
  expect(levels()).toEqual([[], [1]]);
  expect(verbosity.change('2')).toBe('successfully set klog.logging.verbosity to 2');
  expect(levels()).toEqual([[1, 2], [1]]);
  const refused = (text: string) => {
    try {
      return verbosity.change(text);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(['x', '', '-1', '4294967296', '2147483648'].map(refused)).toEqual([
    'strconv.ParseUint: parsing "x": invalid syntax',
    'strconv.ParseUint: parsing "": invalid syntax',
    'strconv.ParseUint: parsing "-1": invalid syntax',
    'strconv.ParseUint: parsing "4294967296": value out of range',
    'failed set klog.logging.verbosity 2147483648: strconv.ParseInt: parsing "2147483648": value out of range',
  ]);
  expect(levels()).toEqual([[1, 2], [1]]);
});

describe('parseVModule', () => {
  it('takes empty items as nothing', () => {
    expect(parseVModule('a=1,,b*=2,')).toEqual([
      { pattern: 'a', level: 1 },
      { pattern: 'b*', level: 2 },
    ]);
  });

  it.each([
    ['a', '"a" does not have the pattern=N format'],
    ['=1', '"=1" does not have the pattern=N format'],
    ['a=1=2', '"a=1=2" does not have the pattern=N format'],
    ['a=x', 'parsing verbosity in "a=x": strconv.ParseUint: parsing "x": invalid syntax'],
    [
      'a=2147483648',
      'parsing verbosity in "a=2147483648": strconv.ParseUint: parsing "2147483648": value out of range',
    ],
  ])('refuses %s', (text, message) => {
    expect(() => parseVModule(text)).toThrow(message);
  });
});
