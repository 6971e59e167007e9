import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import type { JsonListEnds } from '../semantics/kind-policy.js';
import type { ListBody } from './list-body.js';
import type { Piece } from './pieces.js';

/** The constant parts of a JSON list, created once per view. */
export interface JsonListFrame extends JsonListEnds {
  item(stored: StoredObject): Uint8Array;
  /** Decodes a large object in turns, before `item`. */
  prepare(stored: StoredObject): Promise<unknown> | undefined;
}

const COMMA = Buffer.from(',');
const OPEN = Buffer.from('{');
const COMMA_OPEN = Buffer.from(',{');

/** The same list as parts. A newline ends it. */
export function jsonListBody(frame: JsonListFrame, form: object | string): ListBody {
  const isCut = frame.skip > 0;
  return {
    form,
    isLengthFirst: false,
    between: isCut ? COMMA_OPEN : COMMA,
    prepare: (stored) => frame.prepare(stored),
    item: (stored) => frame.item(stored).subarray(frame.skip),
    head: (list) => Buffer.from(frame.head(list) + (isCut ? '{' : '')),
    tail: (list) => Buffer.from(`${frame.tail(list)}\n`),
  };
}

/** A list in pieces, with the bytes of items unchanged: nothing is parsed, and only the last few pieces are held. */
export function* jsonListPieces(frame: JsonListFrame, list: StoredList): Generator<Piece> {
  const first = frame.skip === 0 ? undefined : OPEN;
  const between = frame.skip === 0 ? COMMA : COMMA_OPEN;
  yield Buffer.from(frame.head(list));
  let opening: Uint8Array | undefined = first;
  for (const stored of list.items) {
    const preparing = frame.prepare(stored);
    if (preparing !== undefined) yield preparing;
    const bytes = frame.item(stored);
    if (opening !== undefined) yield opening;
    yield frame.skip === 0 ? bytes : bytes.subarray(frame.skip);
    opening = between;
  }
  yield Buffer.from(frame.tail(list));
}
