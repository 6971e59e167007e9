import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';

/** The parts of a list in one form, where the bytes of an item depend on nothing but the item. */
export interface ListBody {
  /** Lists of the same form have the same bytes for the same items. Known by its identity. */
  readonly form: object | string;
  /** Bytes between two items. */
  readonly between: Uint8Array;
  /** True if `head` needs the length of the items. */
  readonly isLengthFirst: boolean;
  /** See ResponseView. */
  prepare(stored: StoredObject): Promise<unknown> | undefined;
  item(stored: StoredObject): Uint8Array;
  /** The bytes before the first item. `length` is that of all items and of the bytes between them. */
  head(list: StoredList, length: number): Uint8Array;
  /** The bytes after the last item. */
  tail(list: StoredList): Uint8Array;
}
