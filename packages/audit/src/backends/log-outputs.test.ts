import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { streamOutput } from './log-outputs.js';

it('a stream holds 64 MiB for a reader that has stopped', () => {
  const stream = new Writable({ write: () => {} });
  const output = streamOutput(stream);
  const mebibyte = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < 64; count++) output.write([mebibyte]);
  expect(() => output.write([mebibyte])).toThrow('nobody reads the log');
  expect(stream.writableLength).toBe(64 * 1024 * 1024);
});
