import { sliceTurn } from '@apiserver/apimachinery/clock';

/** A part of a response. A promise stands for work in other event loop turns; the next part is requested after it. */
export type Piece = Uint8Array | Promise<unknown>;

/** A response in parts, in order. */
export type Pieces = Iterable<Piece>;

/** One part, computed in steps. Other requests are handled between them. */
export function* pieceInTurns(steps: Generator<void, Uint8Array>): Generator<Piece> {
  for (;;) {
    const step = steps.next();
    if (step.done) {
      yield step.value;
      return;
    }
    yield sliceTurn();
  }
}
