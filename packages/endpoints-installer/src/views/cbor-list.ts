import { atOnce } from '@apiserver/apimachinery/clock';
import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import { LARGE } from '../body/event-loop-turns.js';
import type { Cbor } from '../scope/cbor.js';
import { type Piece, pieceInTurns } from './pieces.js';

/** The constant parts of a list in CBOR. */
export interface CborListFrame {
  readonly apiVersion: string;
  readonly kind: string;
  metadata(list: StoredList): object;
  /** True if `items` of an empty list is null. */
  readonly emptyIsNull?: boolean;
  /** An item without CBOR's self-describing tag, in steps. */
  itemSteps(stored: StoredObject): Generator<void, Uint8Array>;
}

/** A list in CBOR, in pieces. The number of items precedes them. */
export function* cborListPieces(cbor: Cbor, frame: CborListFrame, list: StoredList): Generator<Piece> {
  const { apiVersion, kind, emptyIsNull } = frame;
  const count = emptyIsNull && list.items.length === 0 ? null : list.items.length;
  const { head, tail } = cbor.cborListEnds({ apiVersion, kind, metadata: frame.metadata(list) }, count);
  yield head;
  for (const stored of list.items) {
    const loading = stored.load?.();
    if (loading !== undefined) yield loading;
    yield* isLarge(stored) ? pieceInTurns(frame.itemSteps(stored)) : [atOnce(frame.itemSteps(stored))];
  }
  yield tail;
}

function isLarge({ byteLength = 0 }: StoredObject): boolean {
  return byteLength > LARGE;
}
