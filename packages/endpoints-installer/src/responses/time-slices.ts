import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { Pieces } from '../views/pieces.js';

/**
 * Passes chunks on, and yields to other requests after each time slice. `begun` is the start of the work on them, by
 * `performance.now`.
 */
export async function* inTimeSlices(chunks: Pieces, begun?: number): AsyncGenerator<Uint8Array, void> {
  const slice = new TimeSlice(undefined, begun);
  for (const chunk of chunks) {
    if (chunk instanceof Uint8Array) yield chunk;
    else await chunk;
    if (slice.over) await slice.yield();
  }
}
