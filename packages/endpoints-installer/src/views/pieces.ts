/** A part of a response. A promise is work in other event loop turns: the next part is requested when it is done. */
export type Piece = Uint8Array | Promise<unknown>;

/** A response in parts, in order. */
export type Pieces = Iterable<Piece>;
