import { expect, it } from 'vitest';
import { PendingWrites } from './pending-writes.js';

const META = { revision: 1, compactedRevision: 0, prunedRevision: 0, tickTime: 0, tickRevision: 0 };
const MARK = { id: 1n, sequence: 1 };

/** Writes that give `count` keys another end. */
function moved(count: number) {
  const keys = Array.from({ length: count }, (_, i) => `/k${i}`);
  return {
    index: new Map(keys.map((key) => [key, { revision: 1, deleted: false, expiresAt: 2 }])),
    log: new Map(),
    expiries: keys.flatMap((key) => [
      { key, expiresAt: 1, present: false },
      { key, expiresAt: 2, present: true },
    ]),
    meta: META,
  };
}

it('takes as many changed times to live as versions, because LMDB takes all in one turn', () => {
  const half = new PendingWrites(0, Buffer.alloc(2 ** 21));
  half.add(half.encode(moved(1_500), MARK, 0));
  expect([half.fits(100, moved(36)), half.fits(100, moved(37))]).toEqual([true, false]);
});
