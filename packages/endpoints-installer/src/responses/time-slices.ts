import { setImmediate } from 'node:timers/promises';
import type { Pieces } from '../views/pieces.js';

/** Milliseconds for which a loop over many objects may block the event loop. */
const SLICE_MS = 5;

/**
 * Passes chunks on, and yields to other requests after each time slice. `begun` is the start of the work on them, by
 * `performance.now`.
 */
export async function* inTimeSlices(chunks: Pieces, begun = performance.now()): AsyncGenerator<Uint8Array, void> {
  let sliceEnd = begun + SLICE_MS;
  for (const chunk of chunks) {
    if (chunk instanceof Uint8Array) yield chunk;
    else await chunk;
    if (performance.now() >= sliceEnd) {
      await setImmediate();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
}
