import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { DEFAULT_WINDOW } from '../frames/frame-types.js';
import { getRequest, windowUpdateFrame } from '../testing/raw-frames.js';
import { RawHttp2Client } from '../testing/raw-http2-client.js';
import { BufferPool } from './buffer-pool.js';
import { EndedRequests } from './ended-requests.js';
import { FlushScheduler } from './flush-scheduler.js';
import { Http2ServerConnection } from './http2-server-connection.js';
import type { Http2ServerContext } from './http2-server-context.js';
import { UnreadBytes } from './unread-bytes.js';

const BODY = 1_000_000;

it('counts no bytes for which the client gives no credit: its other responses are short', async () => {
  let connection: Http2ServerConnection | undefined;
  const context: Http2ServerContext = {
    ...{
      scheduler: new FlushScheduler(),
      pool: new BufferPool(),
      unread: new UnreadBytes(),
      ended: new EndedRequests(),
    },
    ...{ maxConcurrentStreams: 100, maxFrameSize: 2 ** 14, maxHeaderListSize: 2 ** 20 },
    ...{ initialWindowSize: 2 ** 18, connectionWindow: 2 ** 20 },
    request: (stream) => {
      stream.respond(200, {}, false);
      stream.write(Buffer.alloc(BODY));
    },
    closed: () => {},
  };
  const server = createServer((socket) => {
    connection = new Http2ServerConnection(socket, context);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  using client = await new RawHttp2Client(socket).greet();
  await client.send(getRequest(1, '/'));
  await client.until('the first window', () => client.responses.get(1)?.bytes === DEFAULT_WINDOW);
  await expect.poll(() => connection?.waitingBytes).toBe(0);
  expect(connection?.unreadBytes).toBeGreaterThanOrEqual(BODY - DEFAULT_WINDOW);
  await client.send(windowUpdateFrame(0, 2 * BODY), windowUpdateFrame(1, 2 * BODY));
  await expect.poll(() => connection?.unreadBytes).toBeLessThan(BODY - DEFAULT_WINDOW);
  connection?.destroy();
  server.close();
});
