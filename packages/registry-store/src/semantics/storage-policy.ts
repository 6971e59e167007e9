import type { GroupKind, KubeObject } from '@apiserver/apimachinery';
import type { KeptAs, KindCodec } from '@apiserver/apimachinery/codec';

/** A member of a JSON object. Its name is only made where it is asked for. */
interface NamedMember {
  readonly name: string;
  isNamed(name: string): boolean;
}

/** Reports whether a member of metadata precedes resourceVersion in the encoding. */
export type ComesBefore = (member: NamedMember) => boolean;

/** The form of objects in the store. */
export interface AtRestPolicy {
  readonly comesBeforeVersion: ComesBefore;
  /** The format that upstream stores, whose losses are reproduced. */
  readonly keptAs: KeptAs;
  /** Objects are stored in CBOR where a codec for it is given. */
  readonly takesCbor: boolean;
  /** Another server on the same store may have kept fields that this one prunes. */
  readonly mayHoldUnknownFields: boolean;
  /** Metadata in JSON has the members of ObjectMeta in their order. */
  readonly hasStructMetadata: boolean;
  /** A written object becomes the canonical one without being decoded. */
  readonly reusesWritten: boolean;
  /** Cuts an object of another version to the schema of the hub, before it is encoded. */
  cutToHub<T>(codec: KindCodec<T>, converted: T): T;
  /** The error for a stored object in a version that the resource does not have. */
  unknownVersion(apiVersion: string): Error;
}

/** The checks of objects by writes. */
export interface WritePolicy {
  /** The kind that errors name. */
  kindInErrors(object: KubeObject, own: GroupKind): GroupKind;
  /** Throws a 500 for an updated object that states no version. */
  requireVersion(object: KubeObject): void;
}

/** The storage of a resource, where resources differ by semantics. */
export interface StoragePolicy {
  readonly atRest: AtRestPolicy;
  readonly writes: WritePolicy;
}
