import { PartialObjectMetadata } from '@apiserver/api/meta/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import type { StoredObject, WireForm } from '@apiserver/apiserver-contracts';
import type { MediaType } from '../negotiation/media-types.js';
import type { Cbor } from '../scope/cbor.js';
import { converterOf, encoderOf, readOnce } from '../scope/object-form.js';
import { cborItemForm } from './cbor-list.js';

/** The kind of an object that is reduced to its metadata. */
export const METADATA_KIND = 'PartialObjectMetadata';

const CLOSE_BRACE = 0x7d;
const END = Uint8Array.of(CLOSE_BRACE);
const NOTHING: Buffer = Buffer.alloc(0);

let codec: KindCodec<PartialObjectMetadata> | undefined;

/** The codec of that kind, in whatever version. */
export function metadataCodec(): KindCodec<PartialObjectMetadata> {
  codec ??= compileKind(PartialObjectMetadata);
  return codec;
}

/** The metadata of an object. */
export function metadataOf(object: Pick<KubeObject, 'metadata'>, apiVersion: string): PartialObjectMetadata {
  return { kind: METADATA_KIND, apiVersion, metadata: object.metadata };
}

/** The metadata in its stored bytes. */
function decodedMetadata(json: Uint8Array): PartialObjectMetadata {
  return metadataCodec().fromJson({ metadata: parseJsonValue(json) }, 'Ignore').object;
}

/** Metadata in one encoding and version of meta.k8s.io. */
export class MetadataForm {
  /** Identifies the form. */
  readonly wire: WireForm;
  /** Identifies the item of a list in CBOR. */
  readonly item: WireForm;
  readonly #mediaType: MediaType;
  readonly #apiVersion: string;
  /** JSON before the metadata; a brace follows them. */
  readonly jsonHead: Buffer;
  /** See `#object`. */
  #memory = NOTHING;

  constructor(mediaType: MediaType, apiVersion: string) {
    const [group = '', version = ''] = apiVersion.split('/');
    this.wire = { contentType: mediaType, group, version, kind: METADATA_KIND };
    this.item = cborItemForm({ group, version, kind: METADATA_KIND });
    this.#mediaType = mediaType;
    this.#apiVersion = apiVersion;
    this.jsonHead = Buffer.from(`{"kind":"${METADATA_KIND}","apiVersion":"${apiVersion}","metadata":`);
  }

  /** The bytes if the store keeps them. */
  kept(stored: StoredObject): Uint8Array | undefined {
    return stored.wire(this.wire);
  }

  /** `read`: the object, of a caller that has read it whole. */
  encode(stored: StoredObject, cbor: Cbor | undefined, read?: KubeObject): Uint8Array {
    const kept = this.kept(stored);
    if (kept !== undefined) return kept;
    const json = stored.metadataJson?.();
    // To find these in the object costs as much as to find kept bytes.
    if (json !== undefined && this.#mediaType === 'application/json') return Buffer.concat([this.jsonHead, json, END]);
    const bytes = this.#encode(json, cbor, () => read ?? readOnce(stored));
    if (this.#mediaType !== 'application/yaml') stored.keep?.(this.wire, bytes);
    return bytes;
  }

  /** The rest of the object is not decoded where the store knows the bytes of its metadata. */
  #encode(json: Uint8Array | undefined, cbor: Cbor | undefined, read: () => KubeObject): Uint8Array {
    const converted = json && this.#converted(json, cbor);
    if (converted !== undefined) return converted;
    const object = json === undefined ? read() : decodedMetadata(json);
    return encoderOf(metadataCodec(), this.#mediaType, cbor)(metadataOf(object, this.#apiVersion));
  }

  /** Undefined where the metadata must be decoded. */
  #converted(json: Uint8Array, cbor: Cbor | undefined): Uint8Array | undefined {
    const convert = converterOf(metadataCodec(), this.#mediaType, cbor);
    return convert?.(this.#object(json));
  }

  /** The object with this metadata, in memory that is used again. */
  #object(json: Uint8Array): Uint8Array {
    const { jsonHead } = this;
    const end = jsonHead.length + json.length;
    if (this.#memory.length <= end) {
      this.#memory = Buffer.allocUnsafeSlow(2 * (end + END.length));
      this.#memory.set(jsonHead);
    }
    this.#memory.set(json, jsonHead.length);
    this.#memory[end] = CLOSE_BRACE;
    return this.#memory.subarray(0, end + END.length);
  }

  /** Decodes a large object in turns, before `encode`. */
  prepare(stored: StoredObject): Promise<unknown> | undefined {
    return stored.load === undefined || this.kept(stored) !== undefined ? undefined : stored.load();
  }
}

/** Stores know kept bytes by the identity of their form. */
const forms = new Map<string, MetadataForm>();

/** The form of a media type and of "meta.k8s.io/v1" or another version that is served: always the same one. */
export function metadataForm(mediaType: MediaType, apiVersion: string): MetadataForm {
  const key = `${mediaType} ${apiVersion}`;
  let form = forms.get(key);
  if (form === undefined) {
    form = new MetadataForm(mediaType, apiVersion);
    forms.set(key, form);
  }
  return form;
}
