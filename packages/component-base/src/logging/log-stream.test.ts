import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogOutput } from './log-output.js';
import { LogStream } from './log-stream.js';

const LINES = 20_000;
const line = (index: number) => `line ${index} ${'x'.repeat(50)}\n`;
const allLines = Array.from({ length: LINES }, (_, index) => line(index)).join('');

let directory: string;
let reader: number;
/** It blocks when the pipe is full, as stderr does. */
let writer: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-stream-'));
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  writer = openSync(path, constants.O_WRONLY);
});
afterEach(() => {
  closeSync(reader);
  closeSync(writer);
  rmSync(directory, { recursive: true });
});

/** Reads the content of the pipe. */
function readNow(): string {
  const bytes = Buffer.alloc(64 * 1024);
  let text = '';
  for (;;) {
    try {
      const length = readSync(reader, bytes);
      if (length === 0) return text;
      text += bytes.toString('utf8', 0, length);
    } catch {
      return text;
    }
  }
}

describe.skipIf(process.platform !== 'linux')('LogStream (needs /proc)', () => {
  it('does not wait for the reader of a pipe, and loses nothing', async () => {
    const stream = new LogStream(writer);
    for (let index = 0; index < LINES; index++) stream.write(line(index));
    let text = '';
    await expect
      .poll(() => {
        text += readNow();
        return text.length;
      })
      .toBe(allLines.length);
    expect(text).toBe(allLines);
  });

  it('writes the rest when it is closed, if the reader reads', () => {
    const stream = new LogStream(writer);
    stream.write('x'.repeat(60_000));
    stream.write('y'.repeat(30_000));
    readNow();
    stream.close();
    expect(readNow()).toMatch(/y$/);
  });

  it('goes on where a disk is full', () => {
    const full = openSync('/dev/full', 'w');
    const stream = new LogStream(full);
    stream.write('lost\n');
    stream.write('lost too\n');
    closeSync(full);
    expect(stream.isFull).toBe(false);
  });
});

describe.skipIf(process.platform !== 'linux')('lines that were lost because nobody read the earlier ones', () => {
  const record = { severity: 'I', time: new Date(0), level: 0, logger: '', fields: undefined } as const;

  /** An output that has lost two lines. */
  async function fullOutput() {
    const output = createLogOutput({ format: 'text' }, { stdout: writer, stderr: writer });
    output.open();
    for (let index = 0; index < 6; index++) output.write({ ...record, message: `${index}${'x'.repeat(1_000_000)}` });
    output.write({ ...record, message: 'lost' });
    return output;
  }

  /** Reads until the last line that waits is there. */
  async function readWaiting(): Promise<string> {
    let text = '';
    await expect
      .poll(() => {
        text += readNow();
        return text.includes('4xxx') && text.endsWith('\n');
      })
      .toBe(true);
    return text;
  }

  it('are counted before the next line', async () => {
    const output = await fullOutput();
    await readWaiting();
    output.write({ ...record, message: 'after' });
    expect(readNow()).toMatch(/nobody read the earlier ones" lines=2\n.*after/);
  });

  it('are counted at the end', async () => {
    const output = await fullOutput();
    await readWaiting();
    output.close();
    expect(readNow()).toMatch(/nobody read the earlier ones" lines=2\n$/);
  });
});
