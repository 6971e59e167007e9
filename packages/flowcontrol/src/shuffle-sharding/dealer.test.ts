import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { dealerFault, dealHand, requiredEntropyBits } from './dealer.js';
import { flowHash } from './flow-hash.js';

interface RecordedHand {
  readonly hash: string;
  readonly deck: number;
  readonly size: number;
  readonly hand: readonly number[];
}

const FILE = new URL('../testing/testdata/hands.json', import.meta.url);
const recorded: readonly RecordedHand[] = JSON.parse(readFileSync(FILE, 'utf8'));

it('deals the hands of upstream', () => {
  const dealt = recorded.map(({ hash, deck, size }) => dealHand(BigInt(hash), deck, size));
  expect(dealt).toEqual(recorded.map(({ hand }) => hand));
});

it('gives a flow the hash of upstream', () => {
  // The first eight bytes of sha256("a\0b"), the lowest first.
  expect(flowHash('a', 'b')).toBe(15_254_180_239_957_406_297n);
  expect(flowHash('a', '')).not.toBe(flowHash('', 'a'));
});

it.each([
  [0, 1, 'deckSize 0 or handSize 1 is not positive'],
  [4, 5, 'handSize 5 is greater than deckSize 4'],
  [2 ** 26 + 1, 1, 'deckSize 67108865 is impractically large'],
  [512, 8, 'required entropy bits of deckSize 512 and handSize 8 is greater than 60'],
  [1024, 6, undefined],
])('a deck of %i and a hand of %i: %s', (deck, hand, fault) => {
  expect(dealerFault(deck, hand)).toBe(fault);
});

it('computes the bits of a hand', () => {
  expect([requiredEntropyBits(1024, 6), requiredEntropyBits(512, 8)]).toEqual([60, 72]);
});
