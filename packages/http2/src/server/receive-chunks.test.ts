import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { receiveChunks } from './receive-chunks.js';

const POLL = { timeout: 30_000, interval: 5 };
const open: { destroy(): unknown }[] = [];

afterEach(() => {
  for (const each of open.splice(0)) each.destroy();
});

/** Both ends of a connection. */
async function connection(): Promise<{ readonly client: Socket; readonly served: Socket }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [served] = (await once(server, 'connection')) as [Socket];
  server.close();
  open.push(client, served);
  return { client, served };
}

describe('receiving chunks', () => {
  it('asks a socket for no more than it sends by itself', async () => {
    const { client, served } = await connection();
    let text = '';
    receiveChunks(served, (chunk) => {
      text += chunk.toString();
    });
    client.write('a');
    await vi.waitFor(() => expect(text).toBe('a'), POLL);
    await new Promise((resolve) => setImmediate(resolve));
    const read = vi.spyOn(served, 'read');
    for (const more of ['b', 'c']) {
      client.write(more);
      await vi.waitFor(() => expect(text).toContain(more), POLL);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([text, read.mock.calls]).toEqual(['abc', []]);
  });

  it('gives nothing while the socket is paused, and all of it in order afterwards', async () => {
    const { client, served } = await connection();
    let text = '';
    let ended = false;
    receiveChunks(served, (chunk) => {
      text += chunk.toString();
      if (text.endsWith('2')) served.pause();
    });
    served.on('end', () => {
      ended = true;
    });
    client.write('1');
    await vi.waitFor(() => expect(text).toBe('1'), POLL);
    client.write('2');
    await vi.waitFor(() => expect(text).toBe('12'), POLL);
    client.write('3');
    await vi.waitFor(() => expect(served.readableLength).toBe(1), POLL);
    expect([text, ended]).toEqual(['12', false]);
    served.resume();
    // The buffered chunk goes in a later step of this turn.
    served.push(Buffer.from('4'));
    await vi.waitFor(() => expect(text).toBe('1234'), POLL);
    client.end('5');
    await vi.waitFor(() => expect([text, ended]).toEqual(['12345', true]), POLL);
  });

  it('loses no byte of a long transfer with pauses', async () => {
    const { client, served } = await connection();
    const sent = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `${i},`).join(''));
    const received: Buffer[] = [];
    receiveChunks(served, (chunk) => {
      received.push(chunk);
      if (received.length % 3 !== 0) return;
      served.pause();
      setImmediate(() => served.resume());
    });
    client.end(sent);
    await once(served, 'end');
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  it('lets other streams be asked for each chunk', async () => {
    const parts = ['a', 'b', 'c'];
    const stream = new Duplex({
      read() {
        setImmediate(() => this.push(parts.length === 0 ? null : Buffer.from(parts.shift() ?? '')));
      },
    });
    open.push(stream);
    let text = '';
    receiveChunks(stream, (chunk) => {
      text += chunk.toString();
    });
    await once(stream, 'end');
    expect(text).toBe('abc');
  });
});
