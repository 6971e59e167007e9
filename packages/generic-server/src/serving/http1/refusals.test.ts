import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { fetchHttp1, listen, raw } from '../../testing/listener-fixture.js';

// conformance.test.ts covers rejected requests.
it('reports an error in the status line and in the body only, and continues to serve others', async () => {
  const { port } = await listen(() => ({ type: 'bytes', status: 200, body: Buffer.from('ok') }));
  const text = '400 Bad Request: missing required Host header';
  expect(await raw(port, 'GET / HTTP/1.1\r\n\r\n')).toBe(
    `HTTP/1.1 ${text}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`,
  );
  expect((await fetchHttp1(port)).status).toBe(200);
});
