import { Buffer } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LineOutput, LineWriter } from './line-writer.js';
import { appendedFile, ensureLogFile } from './log-outputs.js';
import { RotatedFile } from './rotated-file.js';

const MEGABYTE = 1024 * 1024;

/** Keeps the names of the lines in the order of their writing, and `closed`. `written` is called with each name. */
function outputOf(written: (name: string) => void = () => {}) {
  const order: string[] = [];
  const output: LineOutput = {
    maxBytes: undefined,
    needsNewFile: () => false,
    newFile: () => {},
    write: (buffers) => {
      for (const line of Buffer.concat(buffers).toString().split('\n').slice(0, -1)) {
        order.push(line.trimEnd());
        written(line.trimEnd());
      }
    },
    close: async () => void order.push('closed'),
  };
  return { output, order };
}

/** Writes lines of one megabyte, which are more than are written in a turn. */
function writeLarge(writer: LineWriter, names: readonly string[]): Promise<unknown> {
  return Promise.all(names.map((name) => writer.write([`${name.padEnd(MEGABYTE)}\n`], () => {})));
}

const TURN_1 = ['1a', '1b', '1c', '1d', '1e', '1f', '1g', '1h', '1i'];
const TURN_2 = ['2a', '2b', '2c', '2d', '2e', '2f'];

describe('LineWriter', () => {
  it('keeps the order of lines of a turn that begins while those of an earlier one are written', async () => {
    const all: Promise<unknown>[] = [];
    const { output, order } = outputOf((name) => {
      if (name === '1a') all.push(writer.write(['2\n'], () => {}));
    });
    const writer = new LineWriter(output);
    await writeLarge(writer, TURN_1);
    await Promise.all(all);
    expect(order).toEqual([...TURN_1, '2']);
  });

  it('keeps the order of three turns, of which the second is still written after the first', async () => {
    const all: Promise<unknown>[] = [];
    const { output, order } = outputOf((name) => {
      if (name === '1a') all.push(writeLarge(writer, TURN_2));
      if (name === '2a') all.push(writer.write(['3\n'], () => {}));
    });
    const writer = new LineWriter(output);
    await writeLarge(writer, TURN_1);
    // The third line comes with the start of the second turn.
    await all[0];
    await all[1];
    expect(order).toEqual([...TURN_1, ...TURN_2, '3']);
  });

  it.each([
    ['one turn', ['1a']],
    ['several turns', TURN_1],
  ])('is closed after a turn that begins while lines of %s are written', async (_, names) => {
    const { output, order } = outputOf((name) => {
      if (name === names.at(-1)) void writer.write(['2\n'], () => {});
      if (name === '2') void writer.write(['3\n'], () => {});
    });
    const writer = new LineWriter(output);
    void writeLarge(writer, names);
    await writer[Symbol.asyncDispose]();
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([...names, '2', '3', 'closed']);
  });

  it('loses lines that come after its end', async () => {
    const { output, order } = outputOf();
    const writer = new LineWriter(output);
    await writer[Symbol.asyncDispose]();
    const errors: string[] = [];
    expect(await writer.write(['late\n'], (error) => errors.push(error))).toBe(true);
    expect([errors, order]).toEqual([['the log is closed'], ['closed']]);
  });
});

describe('a closed output', () => {
  const rotated = (path: string) => {
    const clock = { now: () => 0, schedule: () => () => {} };
    const output = new RotatedFile({ path, clock, maxMegabytes: 1, maxAgeDays: 0, maxBackups: 0, compress: false });
    output.newFile(1);
    return output;
  };

  it.each<[string, (path: string) => LineOutput]>([
    ['an appended file', appendedFile],
    ['a rotated file', rotated],
  ])('leaves other files alone: %s', async (_, open) => {
    const folder = mkdtempSync(join(tmpdir(), 'line-writer-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'audit.log');
    ensureLogFile(path);
    const output = open(path);
    output.write([Buffer.from('line\n')]);
    await output.close();
    // It usually has the number that the log had.
    const other = openSync(join(folder, 'other'), 'w+');
    onTestFinished(() => closeSync(other));
    expect(() => output.write([Buffer.from('late\n')])).toThrow('the log is closed');
    if (output.needsNewFile(1)) expect(() => output.newFile(1)).toThrow('the log is closed');
    await output.close();
    expect(readdirSync(folder).sort()).toEqual(['audit.log', 'other']);
    expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['line\n', '']);
  });
});
