import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import type { Handler } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { authority, listen } from '../../testing/listener-fixture.js';
import { keepParsing } from './unpaused-parser.js';

const LARGE = 500_000;

/** GET has a response that no socket takes at once; POST has the size of its body. */
const handler: Handler = async ({ request }) => ({
  type: 'bytes',
  status: 200,
  body:
    request.method === 'GET' ? Buffer.alloc(16 * LARGE, 'x') : Buffer.from(`${(await request.readBody(LARGE)).length}`),
});

it('reads a large request that arrives while a large response waits for its client', async () => {
  const { port } = await listen(handler);
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate });
  await once(socket, 'secureConnect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  // The response is under way, and is not read.
  await once(socket, 'readable');
  const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${LARGE}\r\n\r\n`;
  socket.write(head + 'y'.repeat(LARGE));
  const responses = await text(socket);
  expect(responses.match(/HTTP\/1.1 \d+|(?<=\r\n\r\n)\d+$/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', `${LARGE}`]);
});

it('lets the parser pause again when it reads the connection of another server', () => {
  let pauses = 0;
  class Parser {
    socket: object | null = null;
    pause(): void {
      pauses++;
    }
  }
  const parser = new Parser();
  const pausesOf = (socket: object | null) => {
    pauses = 0;
    parser.socket = socket;
    parser.pause();
    return pauses;
  };
  const [first, second] = [1, 2].map(() => Object.assign(new PassThrough(), { parser }));
  keepParsing(first!);
  keepParsing(second!);
  expect([first!, second!, new PassThrough(), null].map(pausesOf)).toEqual([0, 0, 1, 1]);
});
