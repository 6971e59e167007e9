import { SliceShare } from '@apiserver/apimachinery/clock';
import { expect, it } from 'vitest';
import { dealHand } from '../shuffle-sharding/dealer.js';
import { flowHash } from '../shuffle-sharding/flow-hash.js';
import { FlowHands } from './flow-hands.js';

it.each([1, 64])('remembers the flow of a name, however long it is, with %i queues', (queues) => {
  const hands = new FlowHands(queues, 1, new SliceShare({ weight: 1 }));
  const names = ['alice', 'n'.repeat(60_000), `${'n'.repeat(60_000)}m`];
  const flows = names.map((name) => hands.of('s', name));
  expect(flows.map(({ hand }) => hand)).toEqual(
    names.map((name) => dealHand(queues > 1 ? flowHash('s', name) : 0n, queues, 1)),
  );
  expect([new Set(flows).size, hands.size]).toEqual([3, 3]);
  expect(names.map((name) => hands.of('s', name)).map((flow, i) => flow === flows[i])).toEqual([true, true, true]);
});
