import { setImmediate } from 'node:timers/promises';

/** How long steps hold the event loop, besides the last one. */
const SLICE_MS = 20;

/** Runs steps: at once if they take one slice, otherwise with turns of the event loop between slices. */
export function inSlices<T>(steps: Generator<void, T>): T | Promise<T> {
  const first = runSlice(steps);
  return first.done === true ? first.value : finish(steps);
}

async function finish<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    await setImmediate();
    const step = runSlice(steps);
    if (step.done === true) return step.value;
  }
}

function runSlice<T>(steps: Generator<void, T>): IteratorResult<void, T> {
  const end = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true || performance.now() >= end) return step;
  }
}
