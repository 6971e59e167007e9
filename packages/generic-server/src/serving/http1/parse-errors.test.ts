import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { refuseUnreadable } from './parse-errors.js';

/** The error that the reader of a body gets when its connection reports an error in the middle of it. */
async function bodyErrorAfter(head: string, error: Error): Promise<unknown> {
  const server = createServer();
  refuseUnreadable(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
  try {
    const [message] = (await once(server, 'request')) as [IncomingMessage];
    const broken = new Promise((resolve) => message.once('error', resolve));
    server.emit('clientError', error, message.socket);
    return await broken;
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
}

const failed = (code: string) => Object.assign(new Error('the read failed'), { code });

it.each([
  ['Content-Length: 9', 'EPROTO', 'the read failed'],
  ['Content-Length: 9', 'HPE_INTERNAL', 'the read failed'],
  ['Transfer-Encoding: chunked', 'EPROTO', 'the read failed'],
  ['Transfer-Encoding: chunked', 'HPE_STRICT', 'malformed chunked encoding'],
  ['Transfer-Encoding: chunked', 'HPE_INVALID_CHUNK_SIZE', 'invalid byte in chunk length'],
  ['Content-Length: 9', 'HPE_INVALID_EOF_STATE', 'unexpected EOF'],
])('names the fault of a body: %s, %s', async (head, code, message) => {
  expect(await bodyErrorAfter(head, failed(code))).toMatchObject({ status: { code: 500, message } });
});
