import { Buffer } from 'node:buffer';
import type { ApiResponse, Filter, Handler, UserInfo } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { isLongRunning } from '../request/long-running.js';
import { callHandler, createInProcessExchange, type TestCall } from '../testing/call-handler.js';
import { buildHandlerChain } from './handler-chain.js';
import { maxInFlight } from './max-in-flight.js';
import { requestInfo } from './request-info.js';

const ok: Handler = () => ({ type: 'bytes', status: 200, body: Buffer.from('ok') });
const info = requestInfo(createTestLogger().logger);
const bob: UserInfo = { name: 'bob', groups: [], extra: {} };
const root: UserInfo = { name: 'root', groups: ['system:masters'], extra: {} };

function as(user: UserInfo): Filter {
  return {
    name: 'as',
    wrap: (next) => (exchange) => {
      exchange.context.user = user;
      return next(exchange);
    },
  };
}

describe('maxInFlight', () => {
  /**
   * Sends requests of `user` to a filter with one slot of each kind. They get responses in the order of `responses`.
   */
  function oneSlot(user: UserInfo) {
    const filter = maxInFlight({ readOnly: 1, mutating: 1, longRunning: isLongRunning });
    const responses: PromiseWithResolvers<ApiResponse>[] = [];
    const slow: Handler = () => {
      const response = Promise.withResolvers<ApiResponse>();
      responses.push(response);
      return response.promise;
    };
    const around = (handler: Handler, who: UserInfo) => buildHandlerChain(handler, [info, as(who), filter]);
    const hold = (handler = slow) => {
      const exchange = createInProcessExchange({ url: '/api/v1/pods' });
      const response = (async () => around(handler, user)(exchange))();
      response.catch(() => {});
      return { exchange, response };
    };
    const ask = async (request: TestCall, who = bob) => (await callHandler(around(ok, who), request)).status;
    return { responses, around, hold, ask };
  }

  it('rejects excess requests, by kind; not of system:masters, and not watches', async () => {
    const { around, hold, ask } = oneSlot(bob);
    hold();
    expect(await callHandler(around(ok, bob), { url: '/api/v1/pods' })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
      body: 'Too many requests, please try again later.\n',
    });
    const served: readonly (readonly [TestCall, UserInfo, number])[] = [
      [{ method: 'POST', url: '/api/v1/namespaces/n/pods' }, bob, 200],
      [{ url: '/api/v1/pods?watch=true' }, bob, 200],
      [{ url: '/api/v1/pods' }, root, 200],
      [{ url: '/livez' }, bob, 429],
      [{ url: '/readyz?verbose' }, bob, 429],
      [{ url: '/healthz' }, bob, 429],
      [{ url: '/livez/ping' }, bob, 429],
      [{ url: '/metrics' }, bob, 429],
      [{ url: '/api/v1/namespaces/livez' }, bob, 429],
    ];
    const statuses = await Promise.all(served.map(([request, user]) => ask(request, user)));
    expect(statuses).toEqual(served.map(([, , status]) => status));
  });

  it('gives slots to system:masters, who need none', async () => {
    const { hold, ask, responses } = oneSlot(root);
    const { response } = hold();
    hold();
    expect(await ask({ url: '/api/v1/pods' })).toBe(429);
    responses[0]?.resolve(notRead);
    await response;
    expect(await ask({ url: '/api/v1/pods' })).toBe(200);
  });

  it.each<[string, (held: ReturnType<typeof oneSlot>) => unknown]>([
    ['there is a response that nobody has read', ({ responses }) => responses[0]?.resolve(notRead)],
    ['the handler fails', ({ responses }) => responses[0]?.reject(new Error('broken'))],
  ])('gives a slot back when %s', async (_when, settle) => {
    const held = oneSlot(bob);
    const { response } = held.hold();
    expect(await held.ask({ url: '/api/v1/pods' })).toBe(429);
    settle(held);
    await response.catch(() => {});
    expect(await held.ask({ url: '/api/v1/pods' })).toBe(200);
  });

  it('holds a slot until the work ends, though the client has gone', async () => {
    const { hold, ask, responses } = oneSlot(bob);
    const first = hold();
    first.exchange.finish({ status: 0, bytesWritten: 0, aborted: true });
    expect(await ask({ url: '/api/v1/pods' })).toBe(429);
    responses[0]?.resolve(notRead);
    await first.response;
    expect(await ask({ url: '/api/v1/pods' })).toBe(200);
  });

  it('releases a slot once if the handler returns or throws synchronously', async () => {
    const { hold, ask } = oneSlot(bob);
    const now = hold(() => notRead);
    const thrown = hold(() => {
      throw new Error('broken');
    });
    await Promise.allSettled([now.response, thrown.response]);
    hold();
    expect(await ask({ url: '/api/v1/pods' })).toBe(429);
  });
});

const notRead: ApiResponse = { type: 'bytes', status: 200, body: undefined };
