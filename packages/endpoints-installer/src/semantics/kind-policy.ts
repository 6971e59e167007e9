import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { TypedValue } from '@apiserver/apimachinery/structured-merge-diff';
import type { ResourceVersionDefinition, StoredList } from '@apiserver/apiserver-contracts';

/** The functions of the CBOR codec for lists. */
type CborItems = Pick<
  typeof import('@apiserver/apimachinery/codec/cbor'),
  'cborItemOfJson' | 'encodeCborItemSteps' | 'encodeCborValueSteps'
>;

/** The kind that a body states, before it is decoded. */
export interface StatedBody {
  /** As sent; "" if absent. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The member with exactly this name, as sent. The properties above ignore the case of names. */
  member(name: 'apiVersion' | 'kind'): unknown;
}

/** The text of a body in messages. */
export interface ShownBody {
  readonly isCbor: boolean;
  /** The whole body. */
  text(): string;
  /** The same as JSON: YAML is converted, and space around JSON is left out. */
  json(): string;
  /** Its first bytes. */
  summary(): string;
}

/** Determines the kind of bodies and patched objects. */
interface BodyPolicy {
  /**
   * The kind of a body, with defaults if it may be absent. Otherwise throws a 400, whose message uses `show`.
   * `isChecked`: unknown fields are reported.
   */
  statedKind(body: StatedBody, expected: GroupVersionKind, show: () => ShownBody, isChecked: boolean): GroupVersionKind;
  /** True if decoding rejects a kind of another endpoint; otherwise validation does. */
  readonly refusesOtherKinds: boolean;
  /** True if a patched document must have a kind. */
  readonly patchNeedsKind: boolean;
  /** Sets the endpoint's kind on a patched object, or throws a 422 for its version. Mutates `object`. */
  settlePatchedKind(object: KubeObject, kind: GroupVersionKind, hubVersion: string): void;
  /** Marks an object whose client sent an empty list of managed fields, which decoding drops. Mutates `object`. */
  markReset(object: KubeObject): void;
}

/** The comparison of objects for managed fields. */
export interface TrackingPolicy {
  /** The object that a create is compared with. */
  emptyObject(codec: KindCodec, bare: KubeObject): KubeObject;
  /** Throws a MergeTypeError for a written or stored object that violates its schema. */
  checkObject(object: TypedValue): void;
  /** The same in steps. */
  checkObjectInSteps(object: TypedValue): Generator<void, void>;
  /**
   * The object of a version that another one is made of. A merged value has the client's own texts, such as times.
   * Throws ConversionFailure.
   */
  decoded(codec: KindCodec, value: KubeObject): KubeObject;
  /** True if the fields that an endpoint resets are reset in all versions of its objects; otherwise in its own one. */
  readonly resetsOtherVersions: boolean;
  /** Converts an object of the hub version for a comparison in another version. */
  fromHub(version: ResourceVersionDefinition, hub: KubeObject): KubeObject;
  /** An object of a version, without the empty lists and maps that its JSON leaves out. */
  withoutEmpty(codec: KindCodec, object: KubeObject): KubeObject;
  /** The error of a manager whose version no longer exists; undefined if its fields are dropped. */
  missingVersion(apiVersion: string): string | undefined;
}

/** The names in a list. */
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
  /**
   * Number of bytes that are omitted at the start of each item: `{"kind":…,"apiVersion":…,` of typed items; otherwise
   * 0.
   */
  readonly skip: number;
}

/** The encoding of lists. */
interface ListPolicy {
  jsonEnds(names: ListNames): JsonListEnds;
  /** True if lists have a protobuf form. */
  readonly hasProtobuf: boolean;
  /** ListMeta of a list in CBOR. */
  cborMetadata(list: StoredList): object;
  /** The same item of an object in JSON; undefined where it must be decoded. */
  cborItemOfJson(cbor: CborItems, codec: KindCodec, json: Uint8Array): Uint8Array | undefined;
  /** An item of a list in CBOR, without the tag, in steps. */
  encodeCborItemSteps(cbor: CborItems, codec: KindCodec, object: KubeObject): Generator<void, Uint8Array>;
}

/**
 * Behaviour of a kind's objects that depends on its semantics. A subresource may have another policy than its resource:
 * the Scale of a custom resource is typed.
 */
export interface KindPolicy {
  readonly body: BodyPolicy;
  readonly tracking: TrackingPolicy;
  readonly lists: ListPolicy;
  /** True if aggregated discovery omits group and version of a kind that equal those of its resource. */
  readonly isImpliedInDiscovery: boolean;
}
