import { expect, it } from 'vitest';
import { ExpiringSet } from './expiring-set.js';

it('has names until their time is over, and the newest ones only', () => {
  let now = 0;
  const set = new ExpiringSet(2, 10, { now: () => now });
  const has = () => ['a', 'b', 'c'].filter((name) => set.has(name)).join('');
  set.add('a');
  now = 10;
  const atEnd = has();
  now = 11;
  const after = has();
  set.add('a');
  set.add('b');
  const both = has();
  set.add('a');
  set.add('c');
  const newest = has();
  now = 20;
  set.add('a');
  now = 25;
  expect([atEnd, after, both, newest, has()]).toEqual(['a', '', 'ab', 'ac', 'a']);
});
