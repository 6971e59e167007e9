import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { LineWriter } from './line-writer.js';
import { streamOutput } from './log-outputs.js';

it('a stream holds 64 MiB for a reader that has stopped', () => {
  const stream = new Writable({ write: () => {} });
  const output = streamOutput(stream);
  const mebibyte = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < 64; count++) output.write([mebibyte]);
  expect(() => output.write([mebibyte])).toThrow('nobody reads the log');
  expect(stream.writableLength).toBe(64 * 1024 * 1024);
});

it('a line after lost ones follows the earlier lines without an empty one', async () => {
  const taken: Buffer[] = [];
  let take = () => {};
  const stream = new Writable({
    write: (chunk, _, done) => {
      taken.push(chunk);
      take = done;
    },
  });
  const writer = new LineWriter(streamOutput(stream));
  const failures: string[] = [];
  const write = (line: string) => writer.write([line], (failure) => failures.push(failure));
  await write(`${'x'.repeat(64 * 1024 * 1024)}\n`);
  await write('lost\n');
  take();
  await write('after\n');
  expect([failures, taken.at(-1)?.toString()]).toEqual([['nobody reads the log'], 'after\n']);
});
