import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogOutput, type LogFormat } from './log-output.js';
import type { LogRecord } from './log-record.js';

let directory: string;
let file: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-'));
  file = openSync(join(directory, 'log'), 'a');
});
afterEach(() => {
  closeSync(file);
  rmSync(directory, { recursive: true });
});

const written = () => readFileSync(join(directory, 'log'), 'utf8').split('\n').slice(0, -1);
const record = (overrides: Partial<LogRecord>): LogRecord => ({
  severity: 'I',
  time: new Date(1_780_000_000_123),
  level: 0,
  logger: '',
  message: 'hello',
  fields: undefined,
  ...overrides,
});

describe('createLogOutput', () => {
  it('keeps lines until it is open, in order', () => {
    const output = createLogOutput({ format: 'text' }, { stdout: file, stderr: file });
    output.write(record({ message: 'one' }));
    expect(written()).toEqual([]);
    output.open();
    output.write(record({ message: 'two' }));
    expect(written().map((line) => line.split('] ')[1])).toEqual(['one', 'two']);
  });
});

describe('split streams', () => {
  it.each<[LogFormat, readonly string[], readonly string[]]>([
    ['text', ['info'], ['warning', 'error']],
    ['json', ['info', 'warning'], ['error']],
  ])('in the format %s', (format, onStdout, onStderr) => {
    const stderr = openSync(join(directory, 'stderr'), 'a');
    const output = createLogOutput({ format, splitStream: true, bufferSize: 4096 }, { stdout: file, stderr });
    output.write(record({ message: 'info' }));
    output.write(record({ message: 'warning', severity: 'W' }));
    output.write(record({ message: 'error', severity: 'E' }));
    output.open();
    const errors = readFileSync(join(directory, 'stderr'), 'utf8').trimEnd().split('\n');
    expect([written(), errors.length]).toEqual([[], onStderr.length]);
    output.close();
    closeSync(stderr);
    const matching = (lines: readonly string[], words: readonly string[]) =>
      lines.length === words.length && lines.every((line, i) => line.includes(words[i] ?? ''));
    expect([matching(written(), onStdout), matching(errors, onStderr)]).toEqual([true, true]);
  });

  it('are flushed after a while', async () => {
    const options = { format: 'text', splitStream: true, bufferSize: 4096, flushFrequency: 1 } as const;
    const output = createLogOutput(options, { stdout: file, stderr: file });
    output.open();
    output.write(record({ message: 'soon' }));
    await expect.poll(() => written().length).toBe(1);
    output.close();
  });
});
