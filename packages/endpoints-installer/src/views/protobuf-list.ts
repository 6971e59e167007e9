import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import { LARGE } from '../body/event-loop-turns.js';
import type { ListBody } from './list-body.js';
import type { Piece } from './pieces.js';
import { envelopeHead, envelopeTail, lengthDelimited, varintField } from './protobuf-envelope.js';
import type { ProtobufListView } from './response-view.js';

const NOTHING = new Uint8Array();
/** Items between two looks at the clock. */
const SEVERAL = 16;

/**
 * A list in protobuf, in pieces. The envelope has the length of the list, so the lengths of all items are found before
 * the first piece. Items whose bytes are kept cost no more than in JSON; the bytes of others are held until they are
 * sent.
 */
export function* protobufListPieces(view: ProtobufListView, list: StoredList): Generator<Piece> {
  const held = new Map<number, Uint8Array>();
  const length = yield* heldItems(view, list, held);
  yield protobufListHead(view, list, length);
  let index = 0;
  for (const stored of list.items) yield held.get(index++) ?? view.item(stored);
  yield envelopeTail();
}

/** Encodes items that are not kept. Returns the length of all. */
function* heldItems(
  view: ProtobufListView,
  list: StoredList,
  held: Map<number, Uint8Array>,
): Generator<Promise<unknown>, number> {
  const slice = new TimeSlice();
  let length = 0;
  let index = 0;
  for (const stored of list.items) {
    if (slice.overAt(index, SEVERAL, stored.byteLength ?? 0)) yield slice.yield();
    const kept = view.keptItem(stored);
    const item = kept ?? (yield* encodedItem(view, stored, slice));
    // A large one would be decoded at once if it were dropped meanwhile.
    if (item.length >= LARGE || (kept === undefined && view.keptItem(stored) === undefined)) held.set(index, item);
    length += item.length;
    index++;
  }
  return length;
}

function* encodedItem(
  view: ProtobufListView,
  stored: StoredObject,
  slice: TimeSlice,
): Generator<Promise<unknown>, Uint8Array> {
  const preparing = view.prepare(stored);
  if (preparing !== undefined) yield preparing.then(() => slice.yield());
  return view.item(stored);
}

/** The same list as parts. */
export function protobufListBody(view: ProtobufListView, form: object): ListBody {
  return {
    form,
    isLengthFirst: true,
    between: NOTHING,
    prepare: (stored) => view.prepare(stored),
    item: (stored) => view.item(stored),
    head: (list, length) => protobufListHead(view, list, length),
    tail: envelopeTail,
  };
}

/** The bytes before the first item. `length` is that of all items. */
function protobufListHead(
  { apiVersion, kind }: Pick<ProtobufListView, 'apiVersion' | 'kind'>,
  list: StoredList,
  length: number,
): Uint8Array {
  const meta = lengthDelimited(1, protobufListMeta(list));
  return Buffer.concat([envelopeHead(apiVersion, kind, meta.length + length), meta]);
}

/**
 * metav1.ListMeta: selfLink = 1, resourceVersion = 2, continue = 3, remainingItemCount = 4, shardInfo = 5 { selector =
 * 1 }; texts always written.
 */
function protobufListMeta(list: StoredList): Uint8Array {
  return Buffer.concat([
    lengthDelimited(1, new Uint8Array()),
    lengthDelimited(2, Buffer.from(list.resourceVersion)),
    lengthDelimited(3, Buffer.from(list.continue ?? '')),
    ...(list.remainingItemCount === undefined ? [] : [varintField(4, list.remainingItemCount)]),
    ...(list.shardSelector === undefined ? [] : [shardInfo(list.shardSelector)]),
  ]);
}

function shardInfo(selector: string): Uint8Array {
  return lengthDelimited(5, lengthDelimited(1, Buffer.from(selector)));
}
