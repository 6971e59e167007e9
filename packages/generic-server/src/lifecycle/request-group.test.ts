import { expect, it } from 'vitest';
import { createInProcessExchange } from '../testing/call-handler.js';
import { RequestGroup } from './request-group.js';

it('lets other work go on while it ends many requests', async () => {
  const group = new RequestGroup();
  let ended = 0;
  for (let i = 0; i < 20; i++) {
    const exchange = createInProcessExchange({ url: '/api/v1/pods?watch=1' });
    exchange.onAbort(() => {
      ended++;
      for (const end = performance.now() + 1; performance.now() < end; );
    });
    group.enter(exchange);
  }
  const seen: number[] = [];
  const look = () => {
    seen.push(ended);
    if (ended < 20) setImmediate(look);
  };
  setImmediate(look);
  await group.abortAll(new Error('the server ends'), 0);
  expect(ended).toBe(20);
  expect(Math.max(...seen.map((count, i) => count - (seen[i - 1] ?? 0)))).toBeLessThan(15);
});
