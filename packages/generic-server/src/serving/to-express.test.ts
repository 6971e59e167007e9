import { Buffer } from 'node:buffer';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import express from 'express';
import { afterAll, expect, it } from 'vitest';
import { toExpress } from './to-express.js';

const app = express();
app.get('/own', (_, response) => void response.send('own'));
app.use(
  toExpress(
    async ({ request, responseHeaders }) => {
      responseHeaders.set('x-path', request.path);
      const chunks = ['a', 'b'].map((part) => Buffer.from(part));
      return request.path === '/chunks'
        ? { type: 'chunks', status: 200, chunks }
        : { type: 'bytes', status: 404, body: Buffer.from('from the server') };
    },
    { logger: createTestLogger().logger },
  ),
);
const server = createServer(app).listen(0, '127.0.0.1');
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function fetchText(path: string): Promise<readonly [number | undefined, unknown, string]> {
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve) => {
    get({ port, host: '127.0.0.1', path, agent: false }, resolve);
  });
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return [response.statusCode, response.headers['x-path'], body];
}

it.each([
  ['/own', [200, undefined, 'own']],
  ['/other%20one?x', [404, '/other one', 'from the server']],
  ['/chunks', [200, '/chunks', 'ab']],
])('an express app serves its own paths and leaves the others to the server: %s', async (path, response) => {
  expect(await fetchText(path)).toEqual(response);
});
