import { setImmediate } from 'node:timers/promises';
import type { StoredList } from '@apiserver/apiserver-contracts';
import { envelopeHead, envelopeTail, fieldHead, lengthDelimited, varintField } from './protobuf-envelope.js';
import type { ProtobufListView } from './response-view.js';

/** Size from which an item is encoded in a separate turn. */
const LARGE = 64 * 1024;

/** Number of items that are encoded per event loop turn. */
const ITEMS_PER_TURN = 200;

/**
 * A list in protobuf, in pieces. The envelope has the length of the list, so all items are encoded before the first
 * piece is sent; their bytes are not copied.
 */
export async function protobufListPieces(view: ProtobufListView, list: StoredList): Promise<readonly Uint8Array[]> {
  const meta = lengthDelimited(1, protobufListMeta(list));
  const pieces: Uint8Array[] = [meta];
  let length = meta.length;
  for (const [index, stored] of list.items.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await setImmediate();
    const preparing = view.prepare(stored);
    if (preparing !== undefined) await preparing.then(() => setImmediate());
    const message = view.message(stored);
    const head = fieldHead(2, message.length);
    pieces.push(head, message);
    if (message.length >= LARGE) await setImmediate();
    length += head.length + message.length;
  }
  return [envelopeHead(view.apiVersion, view.kind, length), ...pieces, envelopeTail()];
}

/** metav1.ListMeta: selfLink = 1, resourceVersion = 2, continue = 3, remainingItemCount = 4; texts always written. */
function protobufListMeta(list: StoredList): Uint8Array {
  return Buffer.concat([
    lengthDelimited(1, new Uint8Array()),
    lengthDelimited(2, Buffer.from(list.resourceVersion)),
    lengthDelimited(3, Buffer.from(list.continue ?? '')),
    ...(list.remainingItemCount === undefined ? [] : [varintField(4, list.remainingItemCount)]),
  ]);
}
