import { setImmediate } from 'node:timers/promises';

/** Milliseconds that one loop over many objects may hold the event loop. */
const SLICE_MS = 5;

/** The same chunks, giving way to other requests whenever making them has taken its share of time. */
export async function* inTimeSlices(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const chunk of chunks) {
    yield chunk;
    if (performance.now() >= sliceEnd) {
      await setImmediate();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
}
