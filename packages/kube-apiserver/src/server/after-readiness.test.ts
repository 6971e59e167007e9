import { silentLogger } from '@apiserver/component-base/logging';
import { newServerContext } from '@apiserver/generic-server';
import { expect, it } from 'vitest';
import { afterReadiness } from './after-readiness.js';

it('comes after all that follows readiness in the same turn of the event loop', async () => {
  const { signals } = newServerContext({ logger: silentLogger });
  const order: string[] = [];
  const work = afterReadiness(signals).then(() => order.push('work'));
  const announcement = (async () => {
    await signals.ready.signaled;
    for (let step = 0; step < 100; step++) await undefined;
    order.push('announcement');
  })();
  signals.ready.signal();
  await Promise.all([work, announcement]);
  expect(order).toEqual(['announcement', 'work']);
});
