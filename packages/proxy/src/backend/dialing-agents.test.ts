import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchBackend } from './fetch-backend.js';
import { type BackendDialer, type BackendLocation, readText } from './index.js';

const server = createServer((request, response) => response.end(`${request.headers.host}${request.url}`));
let port = 0;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());

const location: BackendLocation = {
  scheme: 'http',
  hostname: 'issuer.example',
  port: '8080',
  path: '/a/b',
  rawPath: '/a%2Fb',
  rawQuery: 'x=1',
};

function get(dial: BackendDialer) {
  const transport = { ca: '', certificate: '', key: '', verify: true, connectTimeout: 10_000, dial };
  const sent = { method: 'GET', headers: { Host: 'issuer.example:8080' } };
  return fetchBackend(location, transport, sent, new AbortController().signal);
}

it('sends requests over the connections of a dialer', async () => {
  const dialled: unknown[] = [];
  const response = await get(async (target) => {
    dialled.push(target);
    return connect(port, '127.0.0.1');
  });
  expect(await readText(response, 100, () => new Error('large'))).toBe('issuer.example:8080/a%2Fb?x=1');
  expect(dialled).toEqual([{ hostname: 'issuer.example', port: 8080 }]);
});

it('fails with the error of the dialer', async () => {
  await expect(get(() => Promise.reject(new Error('no tunnel')))).rejects.toThrow('no tunnel');
});
