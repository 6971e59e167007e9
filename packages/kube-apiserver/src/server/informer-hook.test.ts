import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { createTestExchange } from '@apiserver/endpoints-installer/testing';
import type { PostStartHookContext } from '@apiserver/generic-server';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { informerHook } from './informer-hook.js';

it('is synced once the caches are filled, despite any failures, and does not block before', async () => {
  const clock = new ManualClock();
  const filling: PromiseWithResolvers<void>[] = [];
  const ready = () => {
    const attempt = Promise.withResolvers<void>();
    filling.push(attempt);
    return attempt.promise;
  };
  const { start, synced } = informerHook({ ready }, clock);
  const context = { signal: new AbortController().signal } as PostStartHookContext;
  const problem = async () => {
    await eventLoopTurns();
    try {
      await synced.check(createTestExchange({ url: '/readyz' }));
      return undefined;
    } catch (error) {
      return String(error);
    }
  };
  const unfilled = 'Error: the caches are not filled yet';
  const seen = [synced.name, await problem()];
  await start(context);
  seen.push(await problem());
  filling[0]?.reject(new Error('no storage'));
  seen.push(await problem());
  clock.advance(1_000);
  seen.push(await problem());
  filling[1]?.resolve();
  expect([...seen, await problem()]).toEqual(['informer-sync', unfilled, unfilled, unfilled, unfilled, undefined]);
});

it('is not synced by an end that comes first', async () => {
  const stopping = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const { start, synced } = informerHook({ ready: () => promise }, new ManualClock());
  await start({ signal: stopping.signal } as PostStartHookContext);
  stopping.abort();
  resolve();
  await new Promise<void>((done) => setImmediate(done));
  expect(() => synced.check(createTestExchange({ url: '/readyz' }))).toThrow('the caches are not filled yet');
});
