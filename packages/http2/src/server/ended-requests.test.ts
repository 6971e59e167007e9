import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { EndedRequests } from './ended-requests.js';

/** Takes half of the time of a turn. */
function spin(): void {
  for (const end = performance.now() + 1; performance.now() < end; );
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('tells many requests in several turns, in their order, and a few at once', async () => {
  const told: number[] = [];
  const ended = new EndedRequests();
  const requests = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      tell: () => {
        spin();
        told.push(from + index);
      },
    }));
  ended.tell(requests(0, 20));
  ended.tell(requests(20, 20));
  expect(told.length).toBeLessThan(4);
  for (let before = told.length; told.length < 40; before = told.length) {
    await turn();
    expect(told.length - before).toBeLessThan(4);
  }
  expect(told).toEqual(Array.from({ length: 40 }, (_, index) => index));
  await turn();
  ended.tell(requests(40, 1));
  expect(told.length).toBe(41);
});

it('tells requests of later turns outside of the context of the first', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen = new Set<string | undefined>();
  const ended = new EndedRequests();
  const requests = Array.from({ length: 10 }, () => ({
    tell: () => {
      spin();
      seen.add(context.getStore());
    },
  }));
  context.run('first', () => ended.tell(requests.slice(0, 5)));
  while (seen.size < 2) await turn();
  expect([...seen]).toEqual(['first', undefined]);
});

it('tells the others although one throws', async () => {
  const told: string[] = [];
  const ended = new EndedRequests();
  const broken = {
    tell: () => {
      throw new Error('broken');
    },
  };
  expect(() => ended.tell([broken, { tell: () => void told.push('second') }])).toThrow('broken');
  await turn();
  expect(told).toEqual(['second']);
});
