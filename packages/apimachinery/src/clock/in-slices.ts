import { TimeSlice } from './time-slice.js';

/** How long steps hold the event loop, besides the last one. */
const SLICE_MS = 20;

/** Runs steps: at once if they take one slice, otherwise with turns of the event loop between slices. */
export function inSlices<T>(steps: Generator<void, T>): T | Promise<T> {
  const slice = new TimeSlice(SLICE_MS);
  const first = runSlice(steps, slice);
  return first.done === true ? first.value : finish(steps, slice);
}

async function finish<T>(steps: Generator<void, T>, slice: TimeSlice): Promise<T> {
  for (;;) {
    await slice.yield();
    const step = runSlice(steps, slice);
    if (step.done === true) return step.value;
  }
}

function runSlice<T>(steps: Generator<void, T>, slice: TimeSlice): IteratorResult<void, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true || slice.over) return step;
  }
}
