import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import type { Cbor } from '../scope/cbor.js';
import type { Piece } from './pieces.js';

/** The constant parts of a list in CBOR. */
export interface CborListFrame {
  readonly apiVersion: string;
  readonly kind: string;
  metadata(list: StoredList): object;
  /** A list without items says null in their place. */
  readonly emptyIsNull?: boolean;
  /** An item without the tag that says that it is CBOR. */
  item(stored: StoredObject): Uint8Array;
}

/** A list in CBOR in pieces; their number precedes the items. */
export function* cborListPieces(cbor: Cbor, frame: CborListFrame, list: StoredList): Generator<Piece> {
  const { apiVersion, kind, emptyIsNull } = frame;
  const count = emptyIsNull && list.items.length === 0 ? null : list.items.length;
  const { head, tail } = cbor.cborListEnds({ apiVersion, kind, metadata: frame.metadata(list) }, count);
  yield head;
  for (const stored of list.items) {
    const loading = stored.load?.();
    if (loading !== undefined) yield loading;
    yield frame.item(stored);
  }
  yield tail;
}
