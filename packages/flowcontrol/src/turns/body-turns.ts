import { areSlicesWaiting, chargeSlice, runSliced, type SlicedWork, sliceTurn } from '@apiserver/apimachinery/clock';
import type { Turns } from './turns.js';

/** Work of a chunk beside its making: encryption and the socket, in milliseconds for each byte. */
const PER_BYTE = 1e-6;

type ChunkIterator = Iterator<Uint8Array> | AsyncIterator<Uint8Array>;

/** The response bodies that are in the making. */
export class BodyTurns {
  readonly #turns: Turns;
  readonly #now: () => number;

  constructor(turns: Turns, now: () => number) {
    this.#turns = turns;
    this.#now = now;
  }

  /** The chunks of a body, each made in a turn of the flow of its request. */
  chunks(source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, work: SlicedWork): AsyncIterable<Uint8Array> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = runSliced(work, iteratorOf, source);
        return {
          next: () => runSliced(work, () => this.#next(iterator, work)),
          return: async () => {
            await iterator.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  /** The only body of a server with little to do does not wait. */
  async #next(source: ChunkIterator, work: SlicedWork): Promise<IteratorResult<Uint8Array>> {
    const begun = this.#now();
    const isAtOnce = !areSlicesWaiting() && this.#turns.mayStart(begun);
    if (!isAtOnce) await sliceTurn();
    const made = source.next();
    // Only the work of this turn is measured, not that of other threads and of later turns. A turn of loops is measured
    // there.
    if (isAtOnce) this.#count(work, this.#now() - begun);
    const result = await made;
    if (result.done !== true) this.#count(work, result.value.length * PER_BYTE);
    return result;
  }

  #count(work: SlicedWork, milliseconds: number): void {
    chargeSlice(work, milliseconds);
    work.charge?.(milliseconds);
  }
}

function iteratorOf(source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): ChunkIterator {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}
