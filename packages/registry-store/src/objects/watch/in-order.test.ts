import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { InOrder } from './in-order.js';

function recorded() {
  const log: string[] = [];
  const order = new InOrder<string>(
    (value) => log.push(value),
    (error) => log.push(String(error)),
  );
  return { log, order };
}

describe('InOrder', () => {
  it('passes on available values at once, and those after a pending one in order', async () => {
    const { log, order } = recorded();
    const slow = Promise.withResolvers<string>();
    order.push(1, () => 'a');
    order.push(2, () => slow.promise);
    order.push(3, () => 'c');
    expect([log.slice(), order.heldFrom]).toEqual([['a'], 2]);
    slow.resolve('b');
    await order.drained();
    expect([log, order.heldFrom]).toEqual([['a', 'b', 'c'], undefined]);
  });

  it.each([
    ['the first', ['wait', 'now', 'now']],
    ['the last', ['now', 'now', 'wait']],
    ['all', ['wait', 'wait', 'wait']],
  ])('hands on the values of one revision together: %s of them waits', async (_, kinds) => {
    const { log, order } = recorded();
    const waits = kinds.map(() => Promise.withResolvers<string>());
    order.push(1, () => 'before');
    for (const [i, kind] of kinds.entries()) {
      const make = () => (kind === 'wait' ? (waits[i]?.promise ?? '') : `value ${i}`);
      order.push(2, make, i < kinds.length - 1);
    }
    order.push(3, () => 'after');
    const seen: number[] = [];
    for (const [i, wait] of waits.entries()) {
      seen.push(log.length);
      expect(order.heldFrom).toBe(2);
      wait.resolve(`value ${i}`);
      if (kinds[i] === 'wait' && !kinds.slice(i + 1).includes('wait')) break;
      await turn();
    }
    await order.drained();
    expect(seen.every((length) => length === 1)).toBe(true);
    expect(log).toEqual(['before', 'value 0', 'value 1', 'value 2', 'after']);
  });

  it('passes on the values of one revision in the turn of the last', () => {
    const { log, order } = recorded();
    order.push(1, () => 'a', true);
    const seen = log.slice();
    order.push(1, () => 'b');
    expect([seen, log, order.heldFrom]).toEqual([[], ['a', 'b'], undefined]);
  });

  it('ends at a failure, without the rest of its revision and later ones', async () => {
    const fail = (): string => {
      throw new Error('broken');
    };
    const alone = recorded();
    alone.order.push(1, fail);
    alone.order.push(2, () => 'b');
    expect(alone.log).toEqual(['Error: broken']);
    const together = recorded();
    together.order.push(1, () => 'a');
    together.order.push(2, () => 'b', true);
    together.order.push(2, fail);
    together.order.push(3, () => 'c');
    await together.order.drained();
    expect(together.log).toEqual(['a', 'Error: broken']);
  });

  it('reports a failure after the values before it, and at once what a receiver throws', async () => {
    const { log, order } = recorded();
    const slow = Promise.withResolvers<string>();
    order.push(1, () => slow.promise);
    order.push(2, () => {
      throw new Error('broken');
    });
    order.push(3, () => 'c');
    expect(log).toEqual([]);
    slow.resolve('a');
    await order.drained();
    expect(log).toEqual(['a', 'Error: broken']);
    const failures: unknown[] = [];
    const taken: string[] = [];
    const receiver = (value: string) => {
      taken.push(value);
      throw new Error('a bug');
    };
    const failing = new InOrder<string>(receiver, (error) => failures.push(error));
    failing.push(1, () => 'a', true);
    failing.push(1, () => 'b');
    failing.push(2, () => 'c');
    expect([taken, failures]).toEqual([['a'], [new Error('a bug')]]);
  });

  it('reports a pending value that fails, and nothing once it is stopped', async () => {
    const { log, order } = recorded();
    order.push(1, () => Promise.reject(new Error('no key')));
    order.push(2, () => 'b');
    await order.drained();
    expect([log, order.heldFrom, order.drained()]).toEqual([['Error: no key'], undefined, undefined]);
    const stopped = recorded();
    const slow = Promise.withResolvers<string>();
    stopped.order.push(1, () => slow.promise);
    const drained = stopped.order.drained();
    stopped.order.stop();
    stopped.order.push(2, () => 'late');
    slow.resolve('a');
    await drained;
    expect(stopped.log).toEqual([]);
  });
});
