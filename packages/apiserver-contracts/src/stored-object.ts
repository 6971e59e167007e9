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
  /** Size of the stored form in bytes, if known. */
  readonly byteLength?: number;
  /** Decimal revision; "" for objects that are not stored (reviews). */
  readonly resourceVersion: string;
  /**
   * The cached bytes in that form, with the resourceVersion and no trailing newline; undefined if that form is not
   * cached.
   */
  wire(form: WireForm): Uint8Array | undefined;
}

/** The result of a list. `items` are in key order. */
export interface StoredList<T extends KubeObject = KubeObject> {
  readonly items: readonly StoredObject<T>[];
  readonly resourceVersion: string;
  /** "" or absent if the list is complete. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}
