import { Buffer } from 'node:buffer';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readResponseHead } from './response-head.js';

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\n';
const fields = (count: number) => Array.from({ length: count }, (_, i) => `x${i}: y\r\n`).join('');

/** Reads a head that comes in chunks of some bytes. */
async function read(text: string, size: number) {
  const socket = new PassThrough({ highWaterMark: 1 });
  const found = readResponseHead(socket);
  found.catch(() => {});
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size));
  return found;
}

describe('readResponseHead', () => {
  it.each(['\r\n', '\n'])('reads a head with lines that end in %j, wherever its chunks end', async (end) => {
    const text = `HTTP/1.1 101 Switching Protocols${end}A: b${end}a:c${end}${end}rest`;
    for (const size of [1, 2, 3, 5, 1_000]) {
      const { head, rest } = await read(text, size);
      const came = text.indexOf('rest');
      expect([head.status, head.statusLine, head.headers.get('a'), head.raw.toString()], String(size)).toEqual([
        ...[101, '101 Switching Protocols', ['b', 'c']],
        text.slice(0, came),
      ]);
      expect('rest'.startsWith(rest.toString())).toBe(true);
    }
  });

  it('takes as many lines as a request may have, and refuses more', async () => {
    const { head } = await read(`${SWITCHED}${fields(4_000)}\r\n`, 64 * 1024);
    expect(head.headers.size).toBe(4_000);
    await expect(read(`${SWITCHED}${fields(4_001)}\r\n`, 64 * 1024)).rejects.toThrow(
      'malformed HTTP response "HTTP/1.1 101 Switching Protocols"',
    );
  });

  it('refuses a head without an end', async () => {
    await expect(read(`${SWITCHED}x: ${'y'.repeat(1024 * 1024)}`, 64 * 1024)).rejects.toThrow(
      'malformed HTTP response',
    );
  });
});
