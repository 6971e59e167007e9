import { TimeSlice } from './time-slice.js';

/** Time for which steps hold the event loop, besides the last one. */
const SLICE_MS = 4;

/**
 * Runs steps: at once if they take one slice, otherwise with turns of the event loop between slices. After a slice that
 * was too long, the result comes in a later turn.
 */
export function inSlices<T>(steps: Generator<void, T>): T | Promise<T> {
  const slice = new TimeSlice(SLICE_MS);
  const first = runSlice(steps, slice);
  if (first.done !== true) return finish(steps, slice);
  const { value } = first;
  return slice.over ? slice.yield().then(() => value) : value;
}

async function finish<T>(steps: Generator<void, T>, slice: TimeSlice): Promise<T> {
  for (;;) {
    await slice.yield();
    const step = runSlice(steps, slice);
    if (step.done !== true) continue;
    if (slice.over) await slice.yield();
    return step.value;
  }
}

function runSlice<T>(steps: Generator<void, T>, slice: TimeSlice): IteratorResult<void, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true || slice.over) return step;
  }
}
