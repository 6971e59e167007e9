import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import express from 'express';
import { afterAll, expect, it } from 'vitest';
import { toExpress } from './to-express.js';

const { logger, lines } = createTestLogger();
const handle = toExpress(
  async ({ request, responseHeaders }) => {
    responseHeaders.set('x-path', request.path);
    const chunks = ['a', 'b'].map((part) => Buffer.from(part));
    return request.path === '/chunks'
      ? { type: 'chunks', status: 200, chunks }
      : { type: 'bytes', status: 404, body: Buffer.from('from the server') };
  },
  { logger },
);
const app = express();
app.get('/own', (_, response) => void response.send('own'));
app.use(handle);
const server = createServer(app).listen(0, '127.0.0.1');
const reader = createServer((request, response) => {
  request.resume().on('end', () => handle(request, response));
}).listen(0, '127.0.0.1');
afterAll(() => Promise.all([server, reader].map((one) => new Promise((resolve) => one.close(resolve)))));

async function fetchText(
  path: string,
  { json, from = server }: { readonly json?: string; readonly from?: Server } = {},
): Promise<readonly [number | undefined, unknown, string]> {
  const { port } = from.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve) => {
    const method = json === undefined ? 'GET' : 'POST';
    const headers = { 'Content-Type': 'application/json' };
    request({ port, host: '127.0.0.1', path, method, headers, agent: false }, resolve).end(json);
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

it('a request is refused whose body the app has read', async () => {
  const [status, path, body] = await fetchText('/boats', { json: '{"kind":"Boat"}', from: reader });
  const message =
    'Internal error occurred: the app read the body of the request: ' +
    'mount the API server before anything that reads bodies';
  expect([status, path, JSON.parse(body)]).toMatchObject([500, undefined, { kind: 'Status', code: 500, message }]);
  expect(lines).toMatchObject([{ level: 'error', fields: { method: 'POST', path: '/boats' } }]);
});

it.each([
  ['that has no body', { from: reader }],
  ['whose body the app has not read', { json: '{"kind":"Boat"}' }],
])('a request is served %s', async (_, options) => {
  expect(await fetchText('/boats', options)).toEqual([404, '/boats', 'from the server']);
});
