import { type GroupVersionKind, type KindCodec, type KubeObject, newNotAcceptable } from '@apiserver/apimachinery';
import type { StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';

/** How objects of one kind and version are written in one encoding. Made once per endpoint and encoding. */
export interface ObjectForm {
  readonly mediaType: MediaType;
  /** `mediaType/group/version/kind`: equal for forms that write equal bytes. */
  readonly key: string;
  /** The object's bytes, without a newline behind JSON; those that the store keeps, if it keeps this form. */
  encode(stored: StoredObject): Uint8Array;
}

/** What a form is made of. */
export interface ObjectFormOptions {
  readonly mediaType: MediaType;
  readonly kind: GroupVersionKind;
  readonly codec: KindCodec;
  /** From the version that the store answers in to this form's; must not change its argument. */
  readonly toVersion: (object: KubeObject) => KubeObject;
}

/** Makes the form of a kind in one encoding. */
export function createObjectForm({ mediaType, kind, codec, toVersion }: ObjectFormOptions): ObjectForm {
  const wire: WireForm = { contentType: mediaType, ...kind };
  const encode = encoderOf(codec, mediaType);
  return {
    mediaType,
    key: [mediaType, kind.group, kind.version, kind.kind].join('/'),
    encode: (stored) => stored.wire(wire) ?? encode(toVersion(stored.object)),
  };
}

/** Throws the 406 for a custom resource in protobuf. `type` as upstream calls what it would encode. */
export function refuseProtobuf(type: 'Unstructured' | 'UnstructuredList'): never {
  throw newNotAcceptable(
    `object *unstructured.${type} does not implement the protobuf marshalling interface and cannot be encoded to a ` +
      'protobuf message',
  );
}

/** The codec's encoder for a media type. */
export function encoderOf<T>(codec: KindCodec<T>, mediaType: MediaType): (object: T) => Uint8Array {
  switch (mediaType) {
    case 'application/json':
      return (object) => codec.encodeJson(object);
    case 'application/yaml':
      return (object) => codec.encodeYaml(object);
    default:
      if (codec.schema.semantics === 'structural') return () => refuseProtobuf('Unstructured');
      return (object) => codec.encodeProtobuf(object);
  }
}
