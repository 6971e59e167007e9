import type { GroupVersionKind } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import type { StoredList, StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import { LARGE } from '../body/event-loop-turns.js';
import type { Cbor } from '../scope/cbor.js';
import { type Piece, pieceInTurns } from './pieces.js';

/** The constant parts of a list in CBOR. */
export interface CborListFrame {
  readonly cbor: Cbor;
  readonly apiVersion: string;
  readonly kind: string;
  metadata(list: StoredList): object;
  /** True if `items` of an empty list is null. */
  readonly emptyIsNull?: boolean;
  /** The form in which stores keep items. They know it by its identity. */
  readonly itemForm: WireForm;
  /** An item without CBOR's self-describing tag, in steps. */
  itemSteps(stored: StoredObject): Generator<void, Uint8Array>;
}

/** A list in CBOR, in pieces. The number of items precedes them. */
export function* cborListPieces(frame: CborListFrame, list: StoredList): Generator<Piece> {
  const { cbor, apiVersion, kind, emptyIsNull } = frame;
  const count = emptyIsNull && list.items.length === 0 ? null : list.items.length;
  const { head, tail } = cbor.cborListEnds({ apiVersion, kind, metadata: frame.metadata(list) }, count);
  yield head;
  for (const stored of list.items) {
    const kept = stored.wire(frame.itemForm);
    if (kept !== undefined) {
      yield kept;
      continue;
    }
    const loading = stored.load?.();
    if (loading !== undefined) yield loading;
    const steps = keptSteps(frame, stored);
    yield* isLarge(stored) ? pieceInTurns(steps) : [atOnce(steps)];
  }
  yield tail;
}

/** Encodes an item, and offers it to later lists. */
function* keptSteps({ itemForm, itemSteps }: CborListFrame, stored: StoredObject): Generator<void, Uint8Array> {
  const item = yield* itemSteps(stored);
  stored.keep?.(itemForm, item);
  return item;
}

/** The form of the items of lists of one kind. Create it once: another one finds nothing that was kept. */
export function cborItemForm({ group, version, kind }: GroupVersionKind): WireForm {
  return { contentType: 'application/cbor', group, version, kind: `${kind} in lists` };
}

function isLarge({ byteLength = 0 }: StoredObject): boolean {
  return byteLength > LARGE;
}
