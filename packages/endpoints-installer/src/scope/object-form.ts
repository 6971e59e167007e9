import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { Cbor } from './cbor.js';

/** How objects of one kind and version are written in one encoding. Made once per endpoint and encoding. */
export interface ObjectForm {
  readonly mediaType: MediaType;
  /** `mediaType/group/version/kind`: equal for forms that write equal bytes. */
  readonly key: string;
  /** The object's bytes, without a newline behind JSON; those that the store keeps, if it keeps this form. */
  encode(stored: StoredObject): Uint8Array;
  /** Decodes a large object in turns, before `encode`. Undefined: there is nothing to wait for. */
  prepare(stored: StoredObject): Promise<unknown> | undefined;
}

/** What a form is made of. */
export interface ObjectFormOptions {
  readonly mediaType: MediaType;
  readonly kind: GroupVersionKind;
  readonly codec: KindCodec;
  readonly cbor: Cbor | undefined;
  /** From the version that the store answers in to this form's; must not change its argument. */
  readonly toVersion: (object: KubeObject) => KubeObject;
}

/** Makes the form of a kind in one encoding. */
export function createObjectForm({ mediaType, kind, codec, cbor, toVersion }: ObjectFormOptions): ObjectForm {
  const wire: WireForm = { contentType: mediaType, ...kind };
  const encode = encoderOf(codec, mediaType, cbor);
  return {
    mediaType,
    key: [mediaType, kind.group, kind.version, kind.kind].join('/'),
    encode: (stored) => stored.wire(wire) ?? encode(toVersion(stored.object)),
    prepare: (stored) => (stored.load === undefined || stored.wire(wire) !== undefined ? undefined : stored.load()),
  };
}

/** The codec's encoder for a media type; CBOR needs one of its own. */
export function encoderOf<T>(codec: KindCodec<T>, mediaType: MediaType, cbor?: Cbor): (object: T) => Uint8Array {
  switch (mediaType) {
    case 'application/json':
      return (object) => codec.encodeJson(object);
    case 'application/yaml':
      return (object) => codec.encodeYaml(object);
    case 'application/cbor':
      return (object) => servedCbor(cbor).encodeCbor(codec.schema, object);
    default:
      return (object) => codec.encodeProtobuf(object);
  }
}

/** What nobody serves is not asked for: negotiation sees to that. */
export function servedCbor(cbor: Cbor | undefined): Cbor {
  if (cbor === undefined) throw new TypeError('CBOR is not served here');
  return cbor;
}
