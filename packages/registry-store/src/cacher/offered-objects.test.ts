import { expect, it } from 'vitest';
import { OfferedObjects } from './offered-objects.js';

it('has an object by its bytes until it is withdrawn, once', () => {
  const offers = new OfferedObjects<string>();
  const [first, second, same] = [Buffer.from('a'), Buffer.from('b'), Buffer.from('a')];
  const withdraw = offers.add(first, 'first');
  offers.add(second, 'second');
  const found = () => [first, second, same].map((bytes) => offers.of(bytes));
  expect(found()).toEqual(['first', 'second', undefined]);
  withdraw();
  withdraw();
  expect(found()).toEqual([undefined, 'second', undefined]);
});
