import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TestQueueSet } from '../testing/test-queue-set.js';
import { formatSeatSeconds } from './seat-seconds.js';

/** An event, and what upstream's queue set of v0.36.6 was afterwards, under a clock of the recorder. */
interface Recorded {
  /** Microseconds. */
  readonly at: number;
  readonly op: 'arrive' | 'finish' | 'cancel' | 'configure';
  readonly name: string;
  readonly hash: string;
  /** Initial and final seats, and milliseconds of the final ones. */
  readonly seats: readonly [number, number, number];
  readonly config: Config;
  readonly rejected?: true;
  readonly executing: readonly string[];
  /** Waiting requests of each queue. */
  readonly queues: readonly (readonly string[])[];
  readonly r: readonly string[];
  readonly inUse: number;
}

/** Queues, length of a queue, size of a hand, seats. */
type Config = readonly [number, number, number, number];

interface Trace {
  readonly name: string;
  readonly config: readonly number[];
  readonly events: readonly Recorded[];
}

const FILE = new URL('../testing/testdata/queue-sets.json', import.meta.url);
const traces: readonly Trace[] = JSON.parse(readFileSync(FILE, 'utf8'));

function queuingOf([queues = 0, queueLengthLimit = 0, handSize = 0]: readonly number[]) {
  return { queues, queueLengthLimit, handSize };
}

/** Returns false for a rejected request. */
function play(set: TestQueueSet, { op, name, hash, seats, config }: Recorded): boolean {
  if (op === 'configure') set.configure(queuingOf(config), config[3]);
  else if (op === 'finish') set.finish(name);
  else if (op === 'cancel') set.cancel(name);
  else {
    const [initialSeats, finalSeats, additionalLatency] = seats;
    return set.arrive(name, BigInt(hash), { initialSeats, finalSeats, additionalLatency });
  }
  return true;
}

function stateOf({ queueSet, named }: TestQueueSet, names: string[]) {
  const queues = [...queueSet.queues];
  return {
    executing: names.sort(),
    queues: queues.map((queue) => [...queue.requests()].map(({ arrival }) => arrival.distinguisher)),
    r: queues.map(({ nextDispatchR }) => formatSeatSeconds(nextDispatchR)),
    inUse: queueSet.seatsInUse,
    named,
  };
}

describe('decides as upstream', () => {
  it.each(traces)('$name', ({ config, events }) => {
    const set = new TestQueueSet(queuingOf(config), config[3] ?? 0);
    for (const [i, event] of events.entries()) {
      set.clock.advanceTo(event.at / 1000);
      const isTaken = play(set, event);
      const { executing, queues, r, inUse } = stateOf(set, set.named('executing'));
      expect({ i, rejected: !isTaken, executing, queues, r, inUse }).toEqual({
        i,
        rejected: event.rejected === true,
        executing: [...event.executing],
        queues: event.queues,
        r: event.r,
        inUse: event.inUse,
      });
    }
  });
});
