import { expect, it } from 'vitest';
import { ManualLoop } from '../testing/manual-loop.js';
import { BodyTurns } from './body-turns.js';
import { Turns, type TurnTaker } from './turns.js';

function setUp() {
  const loop = new ManualLoop();
  const turns = new Turns(loop);
  return { loop, turns, bodies: new BodyTurns(turns, () => loop.now()) };
}

/** A taker with so many pieces of work. */
function taker(
  loop: ManualLoop,
  log: string[],
  name: string,
  { pieces = 100, milliseconds = 1, weight = 1 } = {},
): TurnTaker {
  let left = pieces;
  return {
    weight,
    take: () => {
      if (left === 0) return false;
      left--;
      log.push(name);
      loop.time += milliseconds;
      return true;
    },
  };
}

it('begins work at once while little is to do', () => {
  const { loop, turns } = setUp();
  expect(turns.mayStart(0)).toBe(true);
  turns.charge(1.9);
  expect(turns.mayStart(1)).toBe(true);
  turns.charge(0.2);
  expect(turns.mayStart(1)).toBe(false);
  // Work that is spread over time delays nobody.
  expect(turns.mayStart(10)).toBe(true);
  expect(loop.turn()).toBe(false);
});

it('divides turns by weight', () => {
  const { loop, turns } = setUp();
  const log: string[] = [];
  turns.waitToStart(taker(loop, log, 'heavy', { weight: 3 }));
  turns.waitToStart(taker(loop, log, 'light'));
  for (let i = 0; i < 4; i++) loop.turn();
  expect([log.length, log.filter((name) => name === 'heavy').length]).toEqual([8, 6]);
});

it('gives no credit for idleness, and forgets no debt', () => {
  const { loop, turns } = setUp();
  const log: string[] = [];
  const greedy = taker(loop, log, 'greedy');
  turns.waitToStart(greedy);
  for (let i = 0; i < 5; i++) loop.turn();
  log.length = 0;
  turns.waitToStart(taker(loop, log, 'late'));
  loop.turn();
  loop.turn();
  expect(log.filter((name) => name === 'late').length).toBe(2);
});

it('makes at least one part of a response in a turn that starts many requests', () => {
  const { loop, turns } = setUp();
  const log: string[] = [];
  turns.waitToStart(taker(loop, log, 'start'));
  turns.waitToSlice(taker(loop, log, 'slice', { milliseconds: 5 }));
  loop.turn();
  loop.turn();
  expect(log).toEqual(['start', 'start', 'slice', 'start', 'start', 'slice']);
});

/** A body of so many chunks; each takes a millisecond. */
function* body(loop: ManualLoop, log: string[], name: string, chunks: number): Generator<Uint8Array> {
  for (let i = 0; i < chunks; i++) {
    loop.time += 1;
    log.push(name);
    yield new Uint8Array(8);
  }
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

/** Lets promises settle between turns, until nothing waits for a turn. */
async function drain(loop: ManualLoop): Promise<void> {
  for (let idle = 0; idle < 3; ) {
    await new Promise((resolve) => setImmediate(resolve));
    idle = loop.turn() ? 0 : idle + 1;
  }
}

it('lets flows share the making of bodies, and completes the older body of a flow first', async () => {
  const { loop, bodies } = setUp();
  const log: string[] = [];
  const open = (flow: string, name: string, chunks: number) =>
    read(bodies.chunks(body(loop, log, name, chunks), { flow, weight: 1, charge: () => {} }));
  const reading = [...['n1', 'n2', 'n3'].map((name) => open('noisy', name, 10)), open('quiet', 'q', 4)];
  await drain(loop);
  expect(await Promise.all(reading)).toEqual([80, 80, 80, 32]);
  // Without flows, q would be the last one of each round of four.
  expect(log.lastIndexOf('q')).toBeLessThan(14);
  expect(log.lastIndexOf('n1')).toBeLessThan(log.lastIndexOf('n2'));
});

it('charges the work and the bytes of each chunk', async () => {
  const { loop, bodies } = setUp();
  const charged: number[] = [];
  const chunks = bodies.chunks(body(loop, [], 'a', 2), { flow: 'f', weight: 1, charge: (ms) => void charged.push(ms) });
  const reading = read(chunks);
  await drain(loop);
  await reading;
  expect(charged.map((ms) => Number(ms.toFixed(6)))).toEqual([1.000008, 1.000008, 0]);
});

it('ends a body that fails or that its reader leaves', async () => {
  const { loop, bodies } = setUp();
  let closed = 0;
  function* source(): Generator<Uint8Array> {
    try {
      yield new Uint8Array(1);
      throw new RangeError('broken');
    } finally {
      closed++;
    }
  }
  const options = { flow: 'f', weight: 1, charge: () => {} };
  const failing = expect(read(bodies.chunks(source(), options))).rejects.toThrow('broken');
  await drain(loop);
  await failing;
  for await (const chunk of bodies.chunks(source(), options)) {
    expect(chunk.length).toBe(1);
    break;
  }
  expect(closed).toBe(2);
});

it('keeps no flow of bodies that nobody reads', async () => {
  const { loop, bodies } = setUp();
  const options = { flow: 'f', weight: 1, charge: () => {} };
  bodies.chunks(body(loop, [], 'unread', 2), options);
  expect(bodies.flows).toBe(0);
  const reading = read(bodies.chunks(body(loop, [], 'read', 2), options));
  expect(bodies.flows).toBe(1);
  await drain(loop);
  await reading;
  expect(bodies.flows).toBe(0);
});
