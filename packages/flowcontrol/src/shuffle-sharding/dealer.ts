/**
 * Bits of a hash that dealing may use. With all 64, the last card would be distributed unevenly.
 * Upstream: MaxHashBits of k8s.io/apiserver/pkg/util/shufflesharding
 */
export const MAX_HASH_BITS = 60;

const MAX_DECK_SIZE = 1 << 26;

/** Bits of a hash that a hand uses. Meaningful for 1 <= handSize <= deckSize <= 2^26. */
export function requiredEntropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}

/** The reason why no hand can be dealt; undefined if it can. */
export function dealerFault(deckSize: number, handSize: number): string | undefined {
  if (deckSize <= 0 || handSize <= 0) return `deckSize ${deckSize} or handSize ${handSize} is not positive`;
  if (handSize > deckSize) return `handSize ${handSize} is greater than deckSize ${deckSize}`;
  if (deckSize > MAX_DECK_SIZE) return `deckSize ${deckSize} is impractically large`;
  if (requiredEntropyBits(deckSize, handSize) <= MAX_HASH_BITS) return undefined;
  return `required entropy bits of deckSize ${deckSize} and handSize ${handSize} is greater than ${MAX_HASH_BITS}`;
}

/**
 * Deals a hand of different cards below `deckSize`; the same hash gets the same hand. Two flows share all their queues
 * only if they have the same hand, which is rare. Call `dealerFault` first.
 */
export function dealHand(hash: bigint, deckSize: number, handSize: number): number[] {
  const hand: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = BigInt(deckSize - dealt);
    hand.push(cardAt(Number(rest % left), hand));
    rest /= left;
  }
  return hand;
}

/** The card at a place among those that are not dealt yet. */
function cardAt(place: number, dealt: readonly number[]): number {
  const taken = dealt.toSorted((a, b) => a - b);
  let card = place;
  for (const other of taken) if (card >= other) card++;
  return card;
}
