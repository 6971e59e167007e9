import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergedOrder, mergedOrderInSteps } from './merged-order.js';

const NONE = undefined;

describe('mergedOrder', () => {
  it.each<[string, string, string, readonly (number | undefined)[]]>([
    ['', 'ab', 'ab', []],
    ['ab', 'ab', 'ab', []],
    ['ab', '', 'ab', [0, 1]],
    ['abc', 'cba', 'cba', [NONE, NONE, NONE]],
    ['xaby', 'ba', 'xbya', [0, NONE, 3, NONE]],
    ['aab', 'ac', 'acb', [NONE, NONE, 2]],
    ['xax', 'a', 'xax', [0, NONE, 2]],
  ])('puts live %j and applied %j in the order %j', (live, applied, elements, places) => {
    const order = mergedOrder([...live], [...applied]);
    expect([order.elements.join(''), order.live]).toEqual([elements, places]);
  });

  it('has each applied element once, in order, and each other live one with its index', () => {
    const element = fc.constantFrom(...'abcdefgh');
    const lists = fc.tuple(fc.array(element), fc.uniqueArray(element));
    fc.assert(
      fc.property(lists, ([live, applied]) => {
        const { elements, live: places } = mergedOrder(live, applied);
        const isLive = (i: number) => places[i] !== undefined;
        expect(elements.filter((_, i) => !isLive(i))).toEqual(applied);
        const others = live.flatMap((name, i) => (applied.includes(name) ? [] : [{ name, i }]));
        const kept = elements.flatMap((name, i) => (isLive(i) ? [{ name, i: places[i] }] : []));
        expect(kept).toEqual(others);
      }),
    );
  });
});

describe('mergedOrderInSteps', () => {
  it.each([
    [20_000, 20_000, 0],
    [20_000, 0, 4],
    [20_000, 10_000, 4],
  ])('orders %i live and %i applied elements in more than %i steps as mergedOrder does', (live, applied, least) => {
    const left = Array.from({ length: live }, (_, i) => `k${i}`);
    const right = left.slice(0, applied);
    const steps = mergedOrderInSteps(left, right);
    let count = 1;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    const { elements, live: places } = mergedOrder(left, right);
    expect([step.value.elements, step.value.live]).toEqual([elements, places]);
    expect(count).toBeGreaterThan(least);
  });
});
