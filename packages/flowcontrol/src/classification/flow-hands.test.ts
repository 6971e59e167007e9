import { expect, it } from 'vitest';
import { dealHand } from '../shuffle-sharding/dealer.js';
import { flowHash } from '../shuffle-sharding/flow-hash.js';
import { FlowHands } from './flow-hands.js';

it.each([
  ['remembers the hand of a flow', 'alice', 1],
  ['does not remember a name that a client made too long', 'n'.repeat(60_000), 0],
])('%s', (_, distinguisher, size) => {
  const hands = new FlowHands(64, 6, { weight: 1 });
  const hand = dealHand(flowHash('s', distinguisher), 64, 6);
  const [first, second] = [hands.of('s', distinguisher), hands.of('s', distinguisher)];
  expect([first.hand, second.hand, first === second, hands.size]).toEqual([hand, hand, size > 0, size]);
});
