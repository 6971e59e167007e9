import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderedQueue } from './ordered-queue.js';

/** Pushes a member with that order, or takes the first one. */
const steps = fc.array(fc.option(fc.constantFrom(1, 2, 3, 5, 8, Number.POSITIVE_INFINITY), { nil: undefined }));

it('has its members in their order, and equal ones as they came', () => {
  fc.assert(
    fc.property(steps, (orders) => {
      const queue = new OrderedQueue<number>();
      let model: { readonly member: number; readonly order: number }[] = [];
      for (const [member, order] of orders.entries()) {
        if (order === undefined) expect(queue.shift()).toBe(model.shift()?.member);
        else {
          queue.push(member, order);
          model = [...model, { member, order }].sort((a, b) => (a.order === b.order ? 0 : a.order - b.order));
        }
        expect(queue.isEmpty).toBe(model.length === 0);
      }
    }),
  );
});
