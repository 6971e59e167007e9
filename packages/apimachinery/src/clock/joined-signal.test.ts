import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { JoinedSignal } from './joined-signal.js';

const listenersOf = (...controllers: readonly AbortController[]) =>
  controllers.map(({ signal }) => getEventListeners(signal, 'abort').length);

test('aborts with the first of its sources, and leaves the others', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const { signal } = new JoinedSignal(first.signal, second.signal);
  expect([signal.aborted, listenersOf(first, second)]).toEqual([false, [1, 1]]);
  second.abort('second');
  expect([signal.reason, listenersOf(first, second)]).toEqual(['second', [0, 0]]);
  first.abort('first');
  expect(signal.reason).toBe('second');
});

test('is aborted if a source is', () => {
  const [first, second] = [new AbortController(), AbortSignal.abort('early')];
  expect(new JoinedSignal(first.signal, second).signal.reason).toBe('early');
  expect(listenersOf(first)).toEqual([0]);
});

test('aborts no more once it is disposed', () => {
  const source = new AbortController();
  const joined = new JoinedSignal(source.signal);
  joined[Symbol.dispose]();
  source.abort();
  expect([joined.signal.aborted, listenersOf(source)]).toEqual([false, [0]]);
});
