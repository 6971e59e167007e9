/**
 * A part of an answer. A promise stands for work in other turns of the event loop: the next part is asked for when it is
 * done.
 */
export type Piece = Uint8Array | Promise<unknown>;

/** An answer in parts, in their order. */
export type Pieces = Iterable<Piece>;
