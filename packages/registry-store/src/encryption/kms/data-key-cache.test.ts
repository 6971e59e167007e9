import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import type { Transformer } from '../../objects/transformer.js';
import { DataKeyCache } from './data-key-cache.js';

const HOUR_MS = 3_600_000;

it('keeps a key for a day after its last use, and no longer because the clock was set back', () => {
  const clock = new ManualClock();
  const sizes: number[] = [];
  const cache = new DataKeyCache(clock, (count) => sizes.push(count));
  const transformer = {} as Transformer;
  cache.set('a', transformer);
  clock.advance(23 * HOUR_MS);
  cache.set('a', transformer);
  clock.advance(23 * HOUR_MS);
  expect(cache.get('a')).toBe(transformer);
  clock.advance(HOUR_MS);
  expect(cache.get('a')).toBeUndefined();
  cache.set('b', transformer);
  clock.setBack(48 * HOUR_MS);
  expect(cache.get('b')).toBeUndefined();
  cache.set('c', transformer);
  expect(sizes).toEqual([1, 1, 1]);
});
