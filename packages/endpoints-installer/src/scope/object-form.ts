import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { Cbor } from './cbor.js';

/** The encoding of objects of one kind and version. There is one for each endpoint and encoding. */
export interface ObjectForm {
  readonly mediaType: MediaType;
  /** `mediaType/group/version/kind`: equal for forms with equal bytes. */
  readonly key: string;
  /** The bytes in this form if the store keeps them. */
  kept(stored: StoredObject): Uint8Array | undefined;
  /** The object's bytes, without a newline after JSON; the store's bytes, if they have this form. */
  encode(stored: StoredObject): Uint8Array;
  /** The same in steps of a few milliseconds, for large objects. */
  encodeSteps(stored: StoredObject): Generator<void, Uint8Array>;
  /** Decodes a large object in several turns, before `encode`. Undefined: nothing to await. */
  prepare(stored: StoredObject): Promise<unknown> | undefined;
}

/** Dependencies of a form. */
export interface ObjectFormOptions {
  readonly mediaType: MediaType;
  readonly kind: GroupVersionKind;
  readonly codec: KindCodec;
  readonly cbor: Cbor | undefined;
  /** Converts from the store's version to this form's; must not change its argument. */
  readonly toVersion: (object: KubeObject) => KubeObject;
}

/** Makes the form of a kind in one encoding. */
export function createObjectForm({ mediaType, kind, codec, cbor, toVersion }: ObjectFormOptions): ObjectForm {
  const wire: WireForm = { contentType: mediaType, ...kind };
  const encode = encoderOf(codec, mediaType, cbor);
  const convert = converterOf(codec, mediaType, cbor);
  const json = jsonFormOf(kind);
  // People read YAML, seldom the same twice.
  const isKept = mediaType !== 'application/yaml';
  const keeping = (stored: StoredObject, bytes: Uint8Array): Uint8Array => {
    if (isKept) stored.keep?.(wire, bytes);
    return bytes;
  };
  return {
    mediaType,
    key: [mediaType, kind.group, kind.version, kind.kind].join('/'),
    kept: (stored) => stored.wire(wire),
    encode: (stored) =>
      stored.wire(wire) ??
      keeping(stored, converted(stored, json, convert) ?? encode(toVersion(isKept ? readOnce(stored) : stored.object))),
    encodeSteps: function* (stored) {
      const bytes = stored.wire(wire);
      if (bytes !== undefined) return bytes;
      const object = toVersion(stored.object);
      return keeping(stored, yield* encoderInStepsOf(codec, mediaType, cbor)(object));
    },
    prepare: (stored) => (stored.load === undefined || stored.wire(wire) !== undefined ? undefined : stored.load()),
  };
}

/** The object for bytes that are kept. */
export function readOnce<T extends KubeObject>(stored: StoredObject<T>): T {
  return stored.readOnce?.() ?? stored.object;
}

/** The same for a reader of few members (see StoredObject). */
export function readParts<T extends KubeObject>(stored: StoredObject<T>): T {
  return stored.readParts?.() ?? readOnce(stored);
}

/** Makes the bytes of an object in another form of those in JSON; undefined where it must be decoded. */
export type ConvertJson = (json: Uint8Array) => Uint8Array | undefined;

/** The form of a kind in JSON. */
export function jsonFormOf(kind: GroupVersionKind): WireForm {
  return { contentType: 'application/json', ...kind };
}

/**
 * The result for the kept bytes of this form in JSON, which takes less than encoding the object. Undefined where that
 * must be done.
 */
export function converted(
  stored: StoredObject,
  form: WireForm,
  convert: ConvertJson | undefined,
): Uint8Array | undefined {
  const json = convert && stored.wire(form);
  return json && convert?.(json);
}

/** The codec's converter to a media type; undefined if there is none. */
export function converterOf<T>(codec: KindCodec<T>, mediaType: MediaType, cbor?: Cbor): ConvertJson | undefined {
  switch (mediaType) {
    case 'application/vnd.kubernetes.protobuf':
      return (json) => codec.protobufOfJson(json);
    case 'application/cbor':
      return (json) => servedCbor(cbor).cborOfJson(codec.schema, json);
    default:
      return undefined;
  }
}

/** The codec's encoder for a media type; CBOR needs a separate one. */
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

/** The encoder in steps. YAML and protobuf take a single step. */
export function encoderInStepsOf<T>(
  codec: KindCodec<T>,
  mediaType: MediaType,
  cbor?: Cbor,
): (object: T) => Generator<void, Uint8Array> {
  switch (mediaType) {
    case 'application/json':
      return (object) => codec.encodeJsonSteps(object);
    case 'application/cbor':
      return (object) => servedCbor(cbor).encodeCborSteps(codec.schema, object);
    default:
      return function* (object) {
        // Its conversion took a turn.
        yield;
        return encoderOf(codec, mediaType, cbor)(object);
      };
  }
}

/** Returns the codec, which exists because negotiation excludes unsupported encodings. */
export function servedCbor(cbor: Cbor | undefined): Cbor {
  if (cbor === undefined) throw new TypeError('CBOR is not served here');
  return cbor;
}
