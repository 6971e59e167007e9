import { Buffer } from 'node:buffer';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Handler } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { listen, raw } from '../../testing/listener-fixture.js';
import { RequestQueue } from './request-queue.js';

/** A slow handler that records the number of concurrent requests, and their order. */
function slow(milliseconds: number) {
  const seen = { now: 0, most: 0, paths: [] as string[] };
  const handler: Handler = async ({ request }) => {
    seen.most = Math.max(seen.most, ++seen.now);
    seen.paths.push(request.path);
    if (milliseconds > 0) await sleep(milliseconds);
    seen.now--;
    return { type: 'bytes', status: 200, body: Buffer.from(request.path) };
  };
  return { seen, handler };
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const last = get('/last', 'Connection: close\r\n');

describe('requests that come without waiting', () => {
  it.each([
    [3, 20],
    [2_000, 0],
  ])(
    '(%s of them) are served one after the other, with responses in order',
    { timeout: 30_000 },
    async (count, time) => {
      const { seen, handler } = slow(time);
      const { port } = await listen(handler);
      const paths = Array.from({ length: count }, (_, index) => `/${index}`);
      const responses = await raw(port, paths.map((path) => get(path)).join('') + last);
      const requested = [...paths, '/last'];
      expect([seen.most, seen.paths]).toEqual([1, requested]);
      expect(responses.match(/(?<=\r\n\r\n)\/(?:\d+|last)/g)).toEqual(requested);
    },
  );

  it('wait although the first has its response at once', async () => {
    const { seen, handler } = slow(20);
    const { port } = await listen(handler);
    const responses = await raw(port, `OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n${get('/1')}${get('/2')}${last}`);
    expect([seen.most, seen.paths]).toEqual([1, ['/1', '/2', '/last']]);
    expect(responses.match(/(?<=\r\n\r\n)\/(?:\d+|last)/g)).toEqual(['/1', '/2', '/last']);
  });

  it('wait for a body that is still read', async () => {
    const { port } = await listen(async ({ request }) => ({
      type: 'bytes',
      status: 200,
      body: Buffer.from(`${request.path} ${(await request.readBody(1_000_000)).length}`),
    }));
    const post = `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(500_000)}`;
    expect(await raw(port, post + get('/b') + last)).toMatch(/\/a 500000.*\/b 0.*\/last 0$/s);
  });

  it.each([
    ['many', 16, ['Host', 'x'], 100],
    ['few with long heads', 2, ['X', 'x'.repeat(40_000)], 5],
    ['one with a head longer than all that may wait', 1, ['X', 'x'.repeat(900_000)], 5],
  ])('are not read any more when %s wait', (_, most, rawHeaders, count) => {
    const socket = new PassThrough();
    const turns = new RequestQueue({ pause: (stream) => stream.pause(), resume: (stream) => stream.resume() });
    const responses = Array.from({ length: count + 1 }, () => {
      const message = Object.assign(new IncomingMessage(new Socket()), { url: '/', rawHeaders });
      return new ServerResponse(message);
    });
    const waited: number[] = [];
    let served = 0;
    let taken = 0;
    // Like Node: requests arrive as long as the socket is read.
    const read = () => {
      for (; taken <= count && !socket.isPaused(); taken++) turns.take(socket, responses[taken]!, () => served++);
      waited.push(taken - served);
    };
    read();
    for (const response of responses) {
      response.emit('close');
      read();
    }
    expect([Math.max(...waited), served]).toEqual([most, count + 1]);
  });

  it('are not parsed any more when many wait, and are all served in the end', { timeout: 30_000 }, async () => {
    const taken = vi.spyOn(RequestQueue.prototype, 'take');
    const end = Promise.withResolvers<void>();
    const { port } = await listen(async ({ request }) => {
      await end.promise;
      return { type: 'bytes', status: 200, body: Buffer.from(request.path) };
    });
    const paths = Array.from({ length: 5_000 }, (_, index) => `/${index}`);
    const responses = raw(port, paths.map((path) => get(path)).join('') + last);
    await expect.poll(() => taken.mock.calls.length).toBeGreaterThan(16);
    await sleep(200);
    expect(taken.mock.calls.length).toBeLessThan(200);
    end.resolve();
    expect((await responses).match(/(?<=\r\n\r\n)\/(?:\d+|last)/g)).toEqual([...paths, '/last']);
    taken.mockRestore();
  });

  it('have all the time of the requests before them', { timeout: 30_000 }, async () => {
    const { port } = await listen(
      async ({ request }) => {
        if (request.path === '/0') await sleep(3_000);
        return { type: 'bytes', status: 200, body: Buffer.from(request.path) };
      },
      { headersTimeout: 500 },
    );
    const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
    const responses = await raw(port, paths.map((path) => get(path)).join('') + last);
    expect(responses.match(/(?<=\r\n\r\n)\/(?:\d+|last)/g)).toEqual([...paths, '/last']);
  });

  it('are not served when the client has gone before their turn', async () => {
    const served: string[] = [];
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const { port, listener } = await listen(async ({ request }) => {
      served.push(request.path);
      begun.resolve();
      await end.promise;
      return { type: 'bytes', status: 200, body: Buffer.from(request.path) };
    });
    const gone = raw(port, get('/1') + get('/2') + get('/3')).catch(() => 'gone');
    await begun.promise;
    await listener.close(0);
    await gone;
    end.resolve();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(served).toEqual(['/1']);
  });
});
