import { expect, it, vi } from 'vitest';
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

it.each([
  { members: 19, spread: 60_000, after: 0 },
  { members: 60, spread: 60_000, after: 200 },
  { members: 1_000, spread: 400, after: 300 },
])('ends $members requests within $after ms when it has $spread', async ({ members, spread, after }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    const group = new RequestGroup();
    for (let i = 0; i < members; i++) group.enter(createInProcessExchange({ url: '/api/v1/pods?watch=1' }));
    const start = Date.now();
    const ended = group.abortAll(new Error('the server ends'), spread).then(() => Date.now() - start);
    for (let waited = 0; waited < 1_000; waited += 100) await vi.advanceTimersByTimeAsync(100);
    expect(await ended).toBe(after);
  } finally {
    vi.useRealTimers();
  }
});
