import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { remoteObject } from './remote-object.js';
import { RestClient, type RestClientOptions } from './rest-client.js';
import { newRestConfig, type RestConfig } from './rest-config.js';

const OPTIONS: RestClientOptions = { userAgent: 'test/1', clock: systemClock, environment: {} };

/** A server on a free port of this machine. */
async function listening(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Of tcpmux, where nobody listens. A free port may become that of another test. */
const CLOSED_PORT = 1;

const clientOf = (url: string, options: Partial<RestClientOptions> = {}, changes: Partial<RestConfig> = {}) =>
  new RestClient({ ...newRestConfig({ server: new URL(url) }), ...changes }, { ...OPTIONS, ...options });

describe('a server that does not respond', () => {
  it.each(['http', 'https'])('is named as Go names it: %s', async (scheme) => {
    const port = CLOSED_PORT;
    const client = clientOf(`${scheme}://127.0.0.1:${port}`);
    const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    await expect(client.send({ method: 'GET', path: '/a' })).rejects.toMatchObject({
      message: `Get "${scheme}://127.0.0.1:${port}/a": ${refused}`,
      cause: expect.any(Error),
    });
    await expect(client.send({ method: 'POST', path: '/a', body: {} })).rejects.toMatchObject({
      message: `Post "${scheme}://127.0.0.1:${port}/a": ${refused}`,
    });
  });

  it('is observed', async () => {
    const port = CLOSED_PORT;
    const seen: unknown[] = [];
    const note =
      (name: string) =>
      (...given: readonly unknown[]) =>
        void seen.push([name, ...given]);
    const started = performance.now();
    const observer = {
      responded: note('responded'),
      retried: note('retried'),
      responseRead: note('responseRead'),
      connected: note('connected'),
      refused: note('refused'),
      connecting: note('connecting'),
      sent: (attempt: object, milliseconds: number) => {
        seen.push(['sent', attempt, milliseconds >= 0 && milliseconds <= performance.now() - started]);
      },
    };
    const client = clientOf(`http://127.0.0.1:${port}`, { observer });
    const host = `127.0.0.1:${port}`;
    await expect(client.send({ method: 'GET', path: '/a' })).rejects.toMatchObject({ message: /refused/ });
    await expect(client.send({ method: 'POST', path: '/a', body: 'xyz' })).rejects.toMatchObject({
      message: /refused/,
    });
    const reason = `dial tcp ${host}: connect: connection refused`;
    const of = (method: string, bytes: number | undefined) => [
      ['connecting', host, '/a'],
      ['responded', { host, method }, '<error>', bytes],
      ['refused', reason],
      ['sent', { host, method }, true],
    ];
    expect(seen).toEqual([...of('GET', undefined), ...of('POST', 3)]);
  });

  it('may end within a body', async () => {
    await using server = await listening((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
      setImmediate(() => response.destroy());
    });
    await expect(clientOf(`http://127.0.0.1:${server.port}`).send({ method: 'GET', path: '/' })).rejects.toMatchObject({
      message: 'unexpected error when reading response body. Please retry. Original error: unexpected EOF',
      cause: expect.any(Error),
    });
  });
});

describe('a request', () => {
  const echo: RequestListener = ({ url, headers: { host, accept } }, response) =>
    void response.end(JSON.stringify({ url, host, accept }));

  it('goes to the address of the server, with its name', async () => {
    await using server = await listening(echo);
    const address = async () => ({ hostname: '127.0.0.1', port: server.port });
    const client = clientOf('http://core.example:7', { accept: 'text/x' }, { address });
    expect((await client.send({ method: 'GET', path: '/a', query: new URLSearchParams({ b: 'c' }) })).value).toEqual({
      url: '/a?b=c',
      host: 'core.example:7',
      accept: 'text/x',
    });
  });

  it('may have no path', async () => {
    await using server = await listening(echo);
    const { value } = await clientOf(`http://127.0.0.1:${server.port}`).send({ method: 'GET', path: '' });
    expect(value).toMatchObject({ url: '/', accept: 'application/json' });
  });
});

it.each<[string, Record<string, string>, string]>([
  ['{}', { 'content-type': 'application/json' }, 'unknown'],
  ['no words', { 'content-type': 'image/png' }, 'unknown'],
  ['some words', {}, 'some words'],
  ['', {}, ''],
  ['x'.repeat(5000), { 'content-type': 'Text/Plain' }, 'x'.repeat(2048)],
  [' for you ', { 'content-type': 'text/plain' }, 'for you'],
  ['{"kind":"Status"}', { 'content-type': 'text/plain' }, '{\\"kind\\":\\"Status\\"}'],
  ['null', { 'content-type': 'application/json' }, 'unknown'],
  ['{"kind":"Status","code":403,"message":"no"}', { 'content-type': 'application/json' }, 'unknown'],
  ['{"kind":"Status","code":403,"status":"Success"}', { 'content-type': 'application/json' }, 'unknown'],
  [
    JSON.stringify({ kind: 'Status', status: 'Failure', code: 403, message: 'x'.repeat(2 * 2 ** 20) }),
    { 'content-type': 'application/json' },
    'unknown',
  ],
  ['{"apiVersion":"v2","kind":"Status","status":"Failure"}', { 'content-type': 'application/json' }, 'unknown'],
])('makes a Status of a failure without one: %#', async (body, headers, words) => {
  await using server = await listening((_request, response) => void response.writeHead(500, headers).end(body));
  await expect(clientOf(`http://127.0.0.1:${server.port}`).send({ method: 'GET', path: '/' })).rejects.toMatchObject({
    status: {
      code: 500,
      reason: 'InternalError',
      message: `an error on the server ("${words}") has prevented the request from succeeding`,
    },
  });
});

it('does not read a Status of very many values', async () => {
  const known = { kind: 'Status', status: 'Failure', code: 418, message: 'short and stout' };
  const status = (count: number) => ({ ...known, x: Array(count).fill(0) });
  const failing = async (count: number) => {
    const body = JSON.stringify(status(count));
    await using server = await listening((_request, response) => void response.writeHead(418).end(body));
    return await clientOf(`http://127.0.0.1:${server.port}`).send({ method: 'GET', path: '/' });
  };
  await expect(failing(49_000)).rejects.toMatchObject({ status: { code: 418, message: known.message } });
  const message = expect.stringContaining('the server responded with the status code 418');
  await expect(failing(60_000)).rejects.toMatchObject({ status: { code: 418, message } });
});

it('has no version of an object that states none', () => {
  const object = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } };
  expect(remoteObject(object).resourceVersion).toBe('');
});
