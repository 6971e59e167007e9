import type { KubeObject } from '@apiserver/apimachinery';

/**
 * The bytes of an object for one apiVersion and media type. Two requests that want the same form share the same bytes.
 * `contentType` is a bare media type: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor.
 */
export interface WireForm {
  readonly contentType: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * An object as a REST verb answers it: a frozen value and, where the store keeps them, its bytes.
 * The value is made on first use: who only forwards bytes never pays for parsing.
 */
export interface StoredObject<T extends KubeObject = KubeObject> {
  /** Frozen, canonical, in the version the verb works in (the hub), with its resourceVersion. */
  readonly object: T;
  /**
   * Makes a large object in several turns of the event loop, and answers it: hold it, `object` may have to make it anew.
   * Undefined where `object` costs little. Absent: it always does.
   */
  load?(): Promise<T> | undefined;
  /** Bytes of the stored form, as far as that is known. */
  readonly byteLength?: number;
  /** Decimal revision; "" for objects that are not stored (reviews). */
  readonly resourceVersion: string;
  /** The kept bytes in that form, revision in place, without trailing newline; undefined when this form is not kept. */
  wire(form: WireForm): Uint8Array | undefined;
}

/** The answer of list. `items` are in key order. */
export interface StoredList<T extends KubeObject = KubeObject> {
  readonly items: readonly StoredObject<T>[];
  readonly resourceVersion: string;
  /** "" or absent when the list is complete. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}
