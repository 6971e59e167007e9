import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import { isForbidden, isGone } from '@apiserver/apimachinery/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { remoteResourceClient } from './remote-resource-client.js';
import { RemoteServerError } from './remote-server-error.js';
import { RestClient } from './rest-client.js';
import { newRestConfig } from './rest-config.js';

let respond: (request: IncomingMessage, response: ServerResponse) => void;
const heard: string[] = [];
const pauses: number[] = [];
const server = createServer((request, response) => {
  heard.push(`${request.method} ${request.url}`);
  respond(request, response);
});
let client: RestClient;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const config = newRestConfig({ server: new URL(`http://127.0.0.1:${port}/prefix/`) });
  const schedule = (callback: () => void, milliseconds: number) => {
    pauses.push(milliseconds);
    return systemClock.schedule(callback, 0);
  };
  client = new RestClient(config, { userAgent: 'test/1', clock: { ...systemClock, schedule } });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  heard.length = 0;
  pauses.length = 0;
});

const respondWith = (status: number, body: object | string, headers: Record<string, string> = {}) => {
  respond = (_, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
      ...headers,
    });
    response.end(text);
  };
};
const status = (code: number, reason: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message: 'no',
});
const things = () => remoteResourceClient<KubeObject>(client, { group: 'g', version: 'v1', resource: 'things' });
const thing = (name: string, resourceVersion = '1'): KubeObject => ({
  apiVersion: 'g/v1',
  kind: 'Thing',
  metadata: { name, resourceVersion },
});

it.each<[string, string, string]>([
  ['', '', 'resource name may not be empty'],
  ['', 'a/status', `invalid resource name "a/status": [may not contain '/']`],
  ['n/pods', 'a', `invalid namespace "n/pods": [may not contain '/']`],
])('sends nothing for an object at namespace %j and name %j', async (namespace, name, message) => {
  respondWith(200, {});
  const refusal = { status: { code: 500, message } };
  await expect(things().get(namespace, name)).rejects.toMatchObject(refusal);
  if (namespace !== '') {
    await expect(things().list(namespace)).rejects.toMatchObject(refusal);
    await expect(things().watch(namespace)).rejects.toMatchObject(refusal);
    await expect(things().create(namespace, thing('a'))).rejects.toMatchObject(refusal);
  }
  expect(heard).toEqual([]);
});

describe('RestClient', () => {
  it('sends a body below the path of the server', async () => {
    respond = async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { accept, 'user-agent': userAgent, 'content-type': type } = request.headers;
      response.end(JSON.stringify({ accept, userAgent, type, body: JSON.parse(Buffer.concat(chunks).toString()) }));
    };
    const { code, value } = await client.send({ method: 'POST', path: '/apis/a', body: { b: 'ü' } });
    expect({ code, value }).toEqual({
      code: 200,
      value: { accept: 'application/json', userAgent: 'test/1', type: 'application/json', body: { b: 'ü' } },
    });
    expect(heard).toEqual(['POST /prefix/apis/a']);
  });

  it('throws the Status of a refusal', async () => {
    respondWith(403, status(403, 'Forbidden'));
    await expect(things().get('ns', 'a')).rejects.toSatisfy(isForbidden);
  });

  it('makes a Status of any other refusal', async () => {
    respondWith(403, 'not for you');
    await expect(things().get('ns', 'a')).rejects.toThrow('not for you (get things.g)');
    respondWith(502, '<html>', { 'content-type': 'text/html' });
    await expect(things().get('ns', 'a')).rejects.toThrow(
      'an error on the server ("<html>") has prevented the request',
    );
  });

  it('retries after the time of Retry-After', async () => {
    let refusals = 2;
    respond = (_, response) => {
      if (refusals-- > 0) response.writeHead(429, { 'retry-after': '3' }).end();
      else response.end(JSON.stringify(thing('a')));
    };
    expect(await things().get('ns', 'a')).toEqual(thing('a'));
    expect([heard.length, pauses]).toEqual([3, [3_000, 3_000]]);
  });

  it('retries only what may succeed later', async () => {
    respondWith(403, status(403, 'Forbidden'), { 'retry-after': '3' });
    await expect(things().get('ns', 'a')).rejects.toSatisfy(isForbidden);
    expect([heard.length, pauses]).toEqual([1, []]);
    let failures = 1;
    respond = (_, response) => {
      if (failures-- > 0) response.writeHead(500, { 'retry-after': '2' }).end();
      else response.end(JSON.stringify(thing('a')));
    };
    expect(await things().get('ns', 'a')).toEqual(thing('a'));
    expect(pauses).toEqual([2_000]);
  });

  it.each([
    ['text/plain', 'hello'],
    ['', 'no type'],
  ])('tells the content type %j of a response', async (contentType, text) => {
    respond = (_, response) =>
      response.writeHead(200, contentType === '' ? {} : { 'content-type': contentType }).end(text);
    const response = await client.send({ method: 'GET', path: '/a' });
    expect([response.contentType, response.text]).toEqual([contentType, text]);
  });

  it('reports a refused connection in the words of Go', async () => {
    const nobody = new RestClient(newRestConfig({ server: new URL('http://127.0.0.1:1') }), {
      userAgent: 'x',
      clock: systemClock,
    });
    await expect(nobody.send({ method: 'POST', path: '/a', body: {} })).rejects.toThrow(
      'Post "http://127.0.0.1:1/a": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });

  it('takes no response without end', async () => {
    respond = async (_, response) => {
      const piece = Buffer.alloc(1024 * 1024, ' ');
      while (!response.destroyed) if (!response.write(piece)) await new Promise(setImmediate);
    };
    await expect(client.send({ method: 'GET', path: '/a' })).rejects.toThrow(
      new RemoteServerError('the response of the server is larger than 33554432 bytes'),
    );
  });

  it('stops when its signal aborts', async () => {
    respond = () => stop.abort(new Error('context deadline exceeded'));
    const stop = new AbortController();
    await expect(client.send({ method: 'GET', path: '/a' }, stop.signal)).rejects.toThrow('context deadline exceeded');
  });
});

describe('a remote resource', () => {
  it('lists with options', async () => {
    respondWith(200, { items: [thing('a', '5')], metadata: { resourceVersion: '7' } });
    const { items, resourceVersion } = await things().list('ns', { fieldSelector: 'metadata.name=a' });
    expect([items.map(({ object }) => object), resourceVersion]).toEqual([[thing('a', '5')], '7']);
    expect(heard).toEqual(['GET /prefix/apis/g/v1/namespaces/ns/things?fieldSelector=metadata.name%3Da']);
  });

  it('has no version of a list that states none', async () => {
    respondWith(200, { items: [] });
    expect(await things().list('ns')).toEqual({ items: [], resourceVersion: '' });
  });

  it.each([
    ['an object', thing('a')],
    ['no items', { items: 5 }],
    ['null', 'null'],
  ])('refuses %s as a list', async (_, body) => {
    respondWith(200, body, { 'content-type': 'application/json' });
    await expect(things().list('ns')).rejects.toThrow(new RemoteServerError('the server did not respond with a list'));
  });

  it('delivers nothing after its watcher has closed it', async () => {
    const lines = ['a', 'b'].map((name) => `${JSON.stringify({ type: 'ADDED', object: thing(name) })}\n`);
    respond = (_, response) => response.end(lines.join(''));
    const source = await things().watch('');
    const events: string[] = [];
    const ended: unknown[] = [];
    const event = ({ object }: { object: { object: KubeObject } }) => {
      events.push(object.object.metadata.name ?? '');
      source.close();
    };
    source.start({ event, end: (error) => void ended.push(error) });
    await expect.poll(() => events, { timeout: 30_000 }).toEqual(['a']);
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    expect([events, ended]).toEqual([['a'], []]);
  });

  it('watches: events in pieces, then the error that ends it', async () => {
    const lines = [
      { type: 'ADDED', object: thing('ü', '5') },
      { type: 'BOOKMARK', object: thing('', '6') },
      { type: 'ERROR', object: status(410, 'Expired') },
    ].map((event) => `${JSON.stringify(event)}\n`);
    respond = async (_, response) => {
      const bytes = Buffer.from(lines.join(''));
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        await new Promise(setImmediate);
      }
    };
    const source = await things().watch('', { resourceVersion: '4' });
    const events: string[] = [];
    const ended = new Promise((resolve) => {
      const event = ({ type, object }: { type: string; object: { object: KubeObject; resourceVersion: string } }) =>
        events.push(`${type} ${object.object.metadata.name} ${object.resourceVersion}`);
      source.start({ event, end: resolve });
    });
    expect(isGone(await ended) || (await ended)).toMatchObject({ status: { code: 410 } });
    expect(events).toEqual(['ADDED ü 5', 'BOOKMARK  6']);
    expect(heard).toEqual(['GET /prefix/apis/g/v1/things?resourceVersion=4&watch=true']);
    source.close();
  });

  it('ends a watch whose connection breaks without an error', async () => {
    respond = (_, response) => {
      response.write(`${JSON.stringify({ type: 'ADDED', object: thing('a') })}\n`);
      setImmediate(() => response.destroy());
    };
    const source = await things().watch('');
    const ended = new Promise((resolve) => source.start({ event: () => {}, end: resolve }));
    expect(await ended).toBeUndefined();
  });

  it('takes no event without end', async () => {
    respond = async (_, response) => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      while (!response.destroyed) if (!response.write(piece)) await new Promise(setImmediate);
    };
    const source = await things().watch('');
    const ended = new Promise((resolve) => source.start({ event: () => {}, end: resolve }));
    expect(await ended).toMatchObject({ status: { message: expect.stringContaining('too large') } });
    source.close();
  });

  it('throws the refusal of a watch', async () => {
    respondWith(403, status(403, 'Forbidden'));
    await expect(things().watch('')).rejects.toSatisfy(isForbidden);
  });
});
