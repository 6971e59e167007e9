import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Handler } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { authority, listen } from '../../testing/listener-fixture.js';

const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
const last = '0\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n';

/** Responds with the path of a request, before its body has come. */
const early: Handler = ({ request }) => ({ type: 'bytes', status: 200, body: Buffer.from(request.path) });
/** As `early`, after too large a body. */
const tooLarge: Handler = async (exchange) => {
  await exchange.request.readBody(1_000).catch(() => {});
  return early(exchange);
};

/** A client that sends parts until the server ends the connection. Returns what it has received. */
async function sending(port: number, parts: readonly string[], end: RegExp): Promise<string> {
  const options = { host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate };
  const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] });
  let heard = '';
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString();
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  for (const part of parts) {
    if (!socket.writable) break;
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(() => end.test(heard) || socket.closed).toBe(true);
  const isSentAway = socket.closed;
  socket.destroy();
  return `${[...heard.matchAll(/(?<=\r\n\r\n)\/(?:next)?/g)].join(', ')}${isSentAway ? ', closed' : ''}`;
}

describe.each([
  ['nobody has read', early],
  ['has been read in part', tooLarge],
])('a body that %s, and that comes after the response', (_, handler) => {
  it('is read and discarded', async () => {
    const { port } = await listen(handler);
    expect(await sending(port, [head + chunk, chunk, last], /\/next$/)).toBe('/, /next');
  });

  it('ends the connection when it is too large', async () => {
    const { port } = await listen(handler);
    const parts = [head + chunk, ...Array.from({ length: 40 }, () => chunk), last];
    expect(await sending(port, parts, /\/next$/)).toBe('/, closed');
  });
});
