import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { Pieces } from './pieces.js';

/**
 * How stored objects are shown to one client: as they are, as metadata only, or as a Table. Encoders write each kind of
 * answer from it; what a view is worked out from does not depend on the objects.
 */
export interface AnswerView {
  /**
   * Equal for views that write equal bytes for an object, so that watchers can share them; undefined when bytes depend
   * on more than the object.
   */
  frameKey(mediaType: MediaType): string | undefined;
  /** One object with its kind and apiVersion, complete; JSON without a newline behind it. */
  encode(stored: StoredObject, mediaType: MediaType): Uint8Array;
  /** Decodes a large object in turns, before `encode`. Undefined: there is nothing to wait for. */
  prepare(stored: StoredObject, mediaType: MediaType): Promise<unknown> | undefined;
  /** A whole list as JSON in pieces, without a newline at the end. */
  jsonList(list: StoredList): Pieces;
  /** Undefined: the view has no protobuf form. */
  readonly protobufList: ProtobufListView | undefined;
  /** A whole list in CBOR, in pieces. Undefined: the view has no such form, or nobody serves CBOR. */
  readonly cborList: ((list: StoredList) => Pieces) | undefined;
  /** For views whose first object of a watch differs: the view of those behind it. */
  readonly afterFirst?: AnswerView;
}

/** What a protobuf list is made of. */
export interface ProtobufListView {
  readonly apiVersion: string;
  readonly kind: string;
  /** See AnswerView. */
  prepare(stored: StoredObject): Promise<unknown> | undefined;
  /** An item's message without envelope. */
  message(stored: StoredObject): Uint8Array;
}
