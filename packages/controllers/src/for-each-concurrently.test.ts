import { expect, it } from 'vitest';
import { forEachConcurrently } from './for-each-concurrently.js';

const { signal } = new AbortController();

it('does some of the work at a time, and all of it in spite of failures', async () => {
  const log: string[] = [];
  let most = 0;
  let running = 0;
  const work = async (item: number) => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    log.push(`${item}`);
    if (item % 2 === 1) throw new Error(`failed ${item}`);
  };
  await expect(forEachConcurrently([0, 1, 2, 3, 4, 5, 6], work, { signal, concurrent: 3 })).rejects.toThrow('failed 1');
  expect(log).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  expect(most).toBe(3);
});

it('ends when too many more items fail than succeed', async () => {
  const tried = async (fails: (item: number) => boolean) => {
    const log: number[] = [];
    const work = async (item: number) => {
      log.push(item);
      if (fails(item)) throw new Error('no');
    };
    const options = { signal, concurrent: 1, maxExcessFailures: 3 };
    await expect(forEachConcurrently(Array(100).keys(), work, options)).rejects.toThrow('no');
    return log.length;
  };
  expect([await tried(() => true), await tried((item) => item > 4), await tried((item) => item % 2 === 0)]).toEqual([
    3, 13, 100,
  ]);
});

it('begins nothing more when the signal aborts', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await new Promise(setImmediate);
    if (item === 2) stop.abort(new Error('stopped'));
  };
  const all = forEachConcurrently([0, 1, 2, 3, 4, 5, 6], work, { signal: stop.signal, concurrent: 2 });
  await expect(all).rejects.toThrow('stopped');
  expect(begun).toEqual([0, 1, 2, 3]);
});
