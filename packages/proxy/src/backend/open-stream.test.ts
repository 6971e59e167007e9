import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { messageOf } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { openStream } from './open-stream.js';

/** The body of the stream that a backend opens with this response, or the error. */
async function opened(response: string): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const backend = createServer((socket) => socket.on('error', () => {}).end(response));
  await once(backend.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => void backend.close());
  const { port } = backend.address() as AddressInfo;
  const location = { scheme: 'http', hostname: '127.0.0.1', port: String(port), path: '/log', rawQuery: '' } as const;
  const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 };
  const purpose = { resource: { group: '', resource: 'pods/log' }, name: 'p', signal: new AbortController().signal };
  try {
    let text = '';
    for await (const chunk of await openStream(location, transport, purpose)) text += Buffer.from(chunk).toString();
    return text;
  } catch (error) {
    return messageOf(error);
  }
}

const response = (code: number, text: string, length = text.length) =>
  `HTTP/1.1 ${code} X\r\nContent-Length: ${length}\r\n\r\n${text}`;

it.each([
  [response(200, 'lines'), 'lines'],
  [response(206, 'lines'), 'lines'],
  [response(500, 'no "log"'), 'Internal error occurred: no "log"'],
  [response(400, 'no'), 'no'],
  [response(404, 'no'), 'the server could not find the requested resource ( pods/log p)'],
  [response(403, 'no'), 'no ( pods/log p)'],
  [response(503, 'no'), 'the server is currently unable to handle the request ( pods/log p)'],
  [response(502, 'no'), 'an error on the server ("no") has prevented the request from succeeding ( pods/log p)'],
  [
    response(207, 'no'),
    'the server responded with the status code 207 but did not return more information ( pods/log p)',
  ],
  [response(404, 'half', 9), 'Internal error occurred: unexpected EOF'],
  [response(400, 'half', 9), 'Internal error occurred: unexpected EOF'],
  [response(400, 'x'.repeat(50_000), 60_000), 'x'.repeat(50_000)],
])('a backend that responds %#', async (text, expected) => {
  expect(await opened(text)).toBe(expected);
});
