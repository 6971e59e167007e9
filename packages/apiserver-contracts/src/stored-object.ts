import type { KubeObject } from '@apiserver/apimachinery';

/**
 * An encoding of an object: apiVersion and media type. Two requests for the same form share the same bytes.
 * `contentType` is a bare media type: application/json, application/yaml, application/vnd.kubernetes.protobuf,
 * application/cbor.
 */
export interface WireForm {
  readonly contentType: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * An object as a REST verb returns it: a frozen value and, if the store keeps them, its bytes. The value is decoded
 * on first use, so that callers who only forward bytes need no parsing.
 */
export interface StoredObject<T extends KubeObject = KubeObject> {
  /** Frozen, canonical, in the verb's version (the hub), with its resourceVersion. */
  readonly object: T;
  /**
   * Decodes a large object in several event loop turns and returns it. Keep the result, because `object` may have to
   * decode it again. Undefined if `object` is cheap. Absent: it always is.
   */
  load?(): Promise<T> | undefined;
  /**
   * The object for one use, after which its bytes in another form are kept. Unlike `object` it is not kept itself, and
   * perhaps not frozen: it must not be changed. Absent: use `object`.
   */
  readOnce?(): T;
  /**
   * The same for a reader that needs no managed fields: they may be left out, and the object is not defaulted. Absent:
   * use `readOnce`.
   */
  readParts?(): T;
  /** Size of the stored form in bytes, if known. */
  readonly byteLength?: number;
  /** Decimal revision; "" for objects that are not stored (reviews). */
  readonly resourceVersion: string;
  /**
   * The cached bytes in that form, with the resourceVersion and no trailing newline; undefined if that form is not
   * cached. Forms that were kept by `keep` are known by the identity of `form`.
   */
  wire(form: WireForm): Uint8Array | undefined;
  /**
   * The bytes of `metadata` in JSON as the codec of ObjectMeta encodes it, with the resourceVersion: nothing is
   * decoded. Undefined or absent: use `object`.
   */
  metadataJson?(): Uint8Array | undefined;
  /**
   * Offers the bytes in another form to later readers. They are copied, and kept as long as memory allows and the
   * object is current. They must depend on nothing but the object. Absent: nothing is kept.
   */
  keep?(form: WireForm, bytes: Uint8Array): void;
}

/** The result of a list. `items` are in key order. */
export interface StoredList<T extends KubeObject = KubeObject> {
  readonly items: readonly StoredObject<T>[];
  readonly resourceVersion: string;
  /** "" or absent if the list is complete. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** The text of the ShardSelector; absent if there was none. Upstream: ListMeta.shardInfo */
  readonly shardSelector?: string;
  /**
   * The items, divided into runs that other lists of the same objects share. Their counts add up to the number of
   * items. Absent: the items are not neighbours in a cache.
   */
  runs?(): Iterable<ListRun>;
}

/**
 * Neighbours in lists, as long as none of them changes. Encoders keep with it what they make of all of them together.
 */
export interface ListRun {
  /** Number of items. */
  readonly count: number;
  /** The kept bytes of a form that is known by its identity; undefined if there are none. */
  compressed(form: object | string): CompressedRun | undefined;
  /** Offers the bytes of a form, which must depend on nothing but the objects. They must not change any more. */
  keep(form: object | string, run: CompressedRun): void;
}

/** A part of a body as deflate blocks that refer to nothing before them and end at a byte. */
export interface CompressedRun {
  readonly deflated: Uint8Array;
  /** Number of bytes before compression. */
  readonly length: number;
  /** Their CRC-32, unsigned. */
  readonly checksum: number;
}
