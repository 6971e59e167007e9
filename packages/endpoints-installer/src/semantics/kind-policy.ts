import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { TypedValue } from '@apiserver/apimachinery/structured-merge-diff';
import type { ResourceVersionDefinition, StoredList } from '@apiserver/apiserver-contracts';

/** The codec of CBOR, as far as lists need it. */
type CborItems = Pick<
  typeof import('@apiserver/apimachinery/codec/cbor'),
  'encodeCborItemSteps' | 'encodeCborValueSteps'
>;

/** The kind that a body states, before it is decoded. */
export interface StatedBody {
  /** As sent; "" if absent. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The member of exactly this name, as sent. The members above may have another case of letters. */
  member(name: 'apiVersion' | 'kind'): unknown;
}

/** A body as messages show it. */
export interface ShownBody {
  readonly isCbor: boolean;
  /** The whole body. */
  text(): string;
  /** Its first bytes. */
  summary(): string;
}

/** How bodies and patched objects get their kind. */
interface BodyPolicy {
  /**
   * The kind that a body states, with defaults where it may leave it out. Throws a 400 where it may not, and calls `show`
   * for its message.
   */
  statedKind(body: StatedBody, expected: GroupVersionKind, show: () => ShownBody): GroupVersionKind;
  /** Decoding refuses a kind that the endpoint does not have. Otherwise validation does. */
  readonly refusesOtherKinds: boolean;
  /** A patched document must name its kind. */
  readonly patchNeedsKind: boolean;
  /** Gives a patched object the endpoint's kind, or throws a 422 for the version that it states. Mutates `object`. */
  settlePatchedKind(object: KubeObject, kind: GroupVersionKind, hubVersion: string): void;
  /** Marks an object whose client sent an empty list of managed fields, which decoding drops. Mutates `object`. */
  markReset(object: KubeObject): void;
}

/** How managed fields compare objects. */
export interface TrackingPolicy {
  /** The object that a create is compared with. */
  emptyObject(codec: KindCodec, bare: KubeObject): KubeObject;
  /** Throws a MergeTypeError for a written object that does not fit its schema. */
  checkWritten(written: TypedValue): void;
  /** An object of the hub version as another version compares it. */
  fromHub(version: ResourceVersionDefinition, hub: KubeObject): KubeObject;
}

/** The names that a list states. */
interface ListNames {
  readonly apiVersion: string;
  readonly kind: string;
  readonly itemKind: string;
}

/** The JSON around the items of a list. */
export interface JsonListEnds {
  /** From `{` to the opening bracket of the items. */
  head(list: StoredList): string;
  /** From the closing bracket to the end. */
  tail(list: StoredList): string;
  /** Bytes at the start of each item that are left out: `{"kind":…,"apiVersion":…,` of typed items. 0: none. */
  readonly skip: number;
}

/** How lists are written. */
interface ListPolicy {
  jsonEnds(names: ListNames): JsonListEnds;
  /** True if lists have a protobuf form. */
  readonly hasProtobuf: boolean;
  /** ListMeta of a list in CBOR. */
  cborMetadata(list: StoredList): object;
  /** An item of a list in CBOR, without the tag, in steps. */
  encodeCborItemSteps(cbor: CborItems, codec: KindCodec, object: KubeObject): Generator<void, Uint8Array>;
}

/**
 * How objects of a kind are read, compared and written where kinds differ by semantics. A subresource may have another
 * policy than its resource: the Scale of a custom resource is typed.
 */
export interface KindPolicy {
  readonly body: BodyPolicy;
  readonly tracking: TrackingPolicy;
  readonly lists: ListPolicy;
  /** Aggregated discovery leaves out group and version of a kind that are those of its resource. */
  readonly isImpliedInDiscovery: boolean;
}
