import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { ListBody } from './list-body.js';
import type { Pieces } from './pieces.js';

/**
 * The presentation of stored objects for one client: complete, as metadata only, or as a Table. Encoders write each
 * kind of response from it; it does not depend on the objects.
 */
export interface ResponseView {
  /**
   * Equal for views with equal bytes for an object, so that watchers can share them; undefined if bytes depend on more
   * than the object.
   */
  frameKey(mediaType: MediaType): string | undefined;
  /** Encodes a complete object with kind and apiVersion. JSON has no trailing newline. */
  encode(stored: StoredObject, mediaType: MediaType): Uint8Array;
  /** The same in steps of a few milliseconds, for large objects; absent if there are none. */
  encodeSteps?(stored: StoredObject, mediaType: MediaType): Generator<void, Uint8Array>;
  /** Decodes a large object in several turns, before `encode`. Undefined: nothing to await. */
  prepare(stored: StoredObject, mediaType: MediaType): Promise<unknown> | undefined;
  /** A whole list as JSON in pieces, without a newline at the end. */
  jsonList(list: StoredList): Pieces;
  /** Undefined: the view has no protobuf form. */
  readonly protobufList: ProtobufListView | undefined;
  /** A whole list in CBOR, in pieces. Undefined: the view has no such form, or CBOR is not served. */
  readonly cborList: ((list: StoredList) => Pieces) | undefined;
  /** The parts of a list in a form whose items depend on nothing but themselves; undefined if there are none. */
  listBody?(mediaType: MediaType): ListBody | undefined;
  /** The view for later objects of a watch, if the first one differs. */
  readonly afterFirst?: ResponseView;
}

/** The parts of a protobuf list. */
export interface ProtobufListView {
  readonly apiVersion: string;
  readonly kind: string;
  /** See ResponseView. */
  prepare(stored: StoredObject): Promise<unknown> | undefined;
  /** The field of an item in the list: tag, length and message. */
  item(stored: StoredObject): Uint8Array;
  /** The same if the store keeps it; otherwise it must be encoded each time. */
  keptItem(stored: StoredObject): Uint8Array | undefined;
}
