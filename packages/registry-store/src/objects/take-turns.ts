import { TimeSlice } from '../mvcc/yielding.js';

/** Does steps that end with `yield`, as many in a turn of the event loop as its share of time has room for. */
export async function takeTurns<T>(steps: Generator<void, T>): Promise<T> {
  const slice = new TimeSlice();
  // Whoever asks has its turn over.
  await slice.yield();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slice.over) await slice.yield();
  }
}
