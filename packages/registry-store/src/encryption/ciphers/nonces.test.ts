import { expect, it } from 'vitest';
import { Nonces } from './nonces.js';

it('hands out every byte once, in buffers that keep their content', () => {
  const nonces = new Nonces();
  const taken = Array.from({ length: 2000 }, (_, i) => nonces.take(i % 2 === 0 ? 12 : 32));
  const texts = taken.map((nonce) => nonce.toString('hex'));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.map((text) => text.length / 2)).toEqual(texts.map((_, i) => (i % 2 === 0 ? 12 : 32)));
  nonces.take(4096);
  expect(taken.map((nonce) => nonce.toString('hex'))).toEqual(texts);
  // Neighbours that share bytes would repeat a group of eight.
  const groups = texts.flatMap((text) => text.match(/.{16}/g) ?? []);
  expect(new Set(groups).size).toBe(groups.length);
});

it('draws again only when its bytes are used up', () => {
  const nonces = new Nonces();
  const [first, second] = [nonces.take(4000), nonces.take(4000)];
  expect([first.length, second.length]).toEqual([4000, 4000]);
  expect(first.equals(second)).toBe(false);
});
