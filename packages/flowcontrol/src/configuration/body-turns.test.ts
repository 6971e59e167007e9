import { SliceFlow, SliceShare, sliceTurn } from '@apiserver/apimachinery/clock';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ONE_SEAT } from '../fair-queuing/work-estimate.js';
import { TestQueueSet } from '../testing/test-queue-set.js';
import { BodyTurns } from '../turns/body-turns.js';
import { Turns } from '../turns/turns.js';
import { RequestWork } from './request-work.js';

/** Milliseconds; only `block` lets them pass. A stall of the process must not count as work. */
let time = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => time));
afterEach(() => void vi.restoreAllMocks());
const now = () => time;

function setUp() {
  const turns = new Turns({ now, nextTurn: (callback) => void setImmediate(callback), afterPromises: queueMicrotask });
  const set = new TestQueueSet({ queues: 4, queueLengthLimit: 9, handSize: 1 }, 5);
  let order = 0;
  const work = (name: string, flow: SliceFlow) => {
    set.arrive(name, 0n, ONE_SEAT);
    const seat = set.requests.get(name);
    if (seat === undefined) throw new RangeError('the request was refused');
    return new RequestWork(flow, order++, set.queueSet, seat);
  };
  return { turns, set, work, bodies: new BodyTurns(turns, now) };
}

function block(milliseconds: number): void {
  time += milliseconds;
}

/** A body of this many chunks; each takes a while. */
function* body(log: string[], name: string, chunks: number): Generator<Uint8Array> {
  for (let i = 0; i < chunks; i++) {
    block(0.5);
    log.push(name);
    yield new Uint8Array(8);
  }
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

it('lets flows share the making of bodies, and completes the older body of a flow first', async () => {
  const { bodies, work } = setUp();
  const log: string[] = [];
  const [noisy, quiet] = [new SliceFlow(new SliceShare({ weight: 1 })), new SliceFlow(new SliceShare({ weight: 1 }))];
  const open = (flow: SliceFlow, name: string, chunks: number) =>
    read(bodies.chunks(body(log, name, chunks), work(name, flow)));
  const reading = [...['n1', 'n2', 'n3'].map((name) => open(noisy, name, 20)), open(quiet, 'q', 5)];
  expect(await Promise.all(reading)).toEqual([160, 160, 160, 40]);
  // Without flows, q would be the last one of each round of four.
  expect(log.lastIndexOf('q')).toBeLessThan(20);
  expect(log.lastIndexOf('n1')).toBeLessThan(log.lastIndexOf('n2'));
});

it('moves the queue of a request back only for work after its end', async () => {
  const { bodies, work, set } = setUp();
  const own = work('r', new SliceFlow(new SliceShare({ weight: 1 })));
  const queue = set.requests.get('r')?.queue;
  set.arrive('next', 0n, ONE_SEAT);
  const before = queue?.nextDispatchR ?? 0;
  await read(bodies.chunks(body([], 'r', 1), own));
  const during = queue?.nextDispatchR ?? 0;
  set.finish('r');
  const ended = queue?.nextDispatchR ?? 0;
  await read(bodies.chunks(body([], 'r', 1), own));
  expect([during - before, (queue?.nextDispatchR ?? 0) > ended]).toEqual([0, true]);
});

it('ends a body that fails or that its reader leaves', async () => {
  const { bodies, work } = setUp();
  let closed = 0;
  function* source(): Generator<Uint8Array> {
    try {
      yield new Uint8Array(1);
      throw new RangeError('broken');
    } finally {
      closed++;
    }
  }
  const own = work('r', new SliceFlow(new SliceShare({ weight: 1 })));
  await expect(read(bodies.chunks(source(), own))).rejects.toThrow('broken');
  for await (const chunk of bodies.chunks(source(), own)) {
    expect(chunk.length).toBe(1);
    break;
  }
  expect(closed).toBe(2);
});

it('begins none that nobody reads', async () => {
  const { bodies, work } = setUp();
  const log: string[] = [];
  bodies.chunks(body(log, 'unread', 2), work('r', new SliceFlow(new SliceShare({ weight: 1 }))));
  await sliceTurn();
  expect(log).toEqual([]);
});
