import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { isProtobufObject, unwrapUnknown } from '@apiserver/apimachinery/codec/protobuf';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import {
  type CompiledVersion,
  type CompiledVersions,
  compileVersions,
  createJsonForm,
  type ObjectForm,
  type WireBytes,
  withoutResourceVersion,
} from './object-form.js';
import { OverJsonForm } from './over-json-form.js';
import { RecentlyWritten } from './recently-written.js';
import { asBuffer } from './resource-version-splice.js';

/** What objects can be encoded in at rest. Upstream flag: --storage-media-type */
export const STORAGE_MEDIA_TYPES = [
  'application/json',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
] as const;

/** What `--storage-media-type` can be. */
export type StorageMediaType = (typeof STORAGE_MEDIA_TYPES)[number];

const OPEN_BRACE = 0x7b;

/**
 * A form of one's choice at rest, for stores that upstream's servers share. Everything is read, whatever it was written in;
 * an object in another encoding than the chosen one is outdated, so that its next update rewrites it.
 * Upstream: k8s.io/apiserver/pkg/server/storage/storage_codec.go
 */
export function createEncodedForm<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  codecFor: (schema: KindSchema) => KindCodec,
  mediaType: StorageMediaType,
): ObjectForm<T> {
  return new EncodedForm(createJsonForm(definition, codecFor), compileVersions(definition, codecFor), mediaType);
}

class EncodedForm<T extends KubeObject> extends OverJsonForm<T> {
  readonly wireIsAtRest: boolean;
  readonly #mediaType: StorageMediaType;
  /** Wire bytes of some revision. */
  readonly #written = new RecentlyWritten<WireBytes>();

  constructor(json: ObjectForm<T>, compiled: CompiledVersions<T>, mediaType: StorageMediaType) {
    super(json, compiled);
    this.#mediaType = mediaType;
    this.wireIsAtRest = compiled.hub === compiled.storage;
  }

  encode(object: T): Uint8Array {
    if (this.#mediaType === 'application/json') return this.json.encode(object);
    const { version, codec } = this.compiled.storage;
    const plain = withoutResourceVersion(object);
    const stored = version.fromHub?.(plain) ?? plain;
    const bytes = this.#mediaType === 'application/yaml' ? codec.encodeYaml(stored) : codec.encodeProtobuf(stored);
    this.#written.add(bytes);
    return bytes;
  }

  wire(atRest: Uint8Array, revision: number): WireBytes {
    const encoding = mediaTypeOf(atRest);
    if (encoding === 'application/json') {
      // Its parts are looked at when somebody asks for them; that it is JSON has to be known at once.
      JSON.parse(asBuffer(atRest).toString());
      return this.#judged(this.json.wire(atRest, revision), encoding);
    }
    let isFresh = false;
    const decoded = this.#written.valueOf(atRest, (bytes) => {
      isFresh = true;
      return this.#wireOf(encoding, bytes, revision);
    });
    return this.#judged(isFresh ? decoded : { ...decoded, bytes: this.rewire(decoded.bytes, revision) }, encoding);
  }

  /** What is in another encoding than the chosen one is outdated, whatever its version. */
  #judged({ bytes, outdated }: WireBytes, encoding: StorageMediaType): WireBytes {
    return { bytes, outdated: outdated || encoding !== this.#mediaType };
  }

  #wireOf(encoding: Exclude<StorageMediaType, 'application/json'>, atRest: Uint8Array, revision: number): WireBytes {
    if (encoding === 'application/vnd.kubernetes.protobuf') {
      const from = this.#named(unwrapUnknown(atRest).apiVersion);
      return this.#decoded(from, from.codec.decodeProtobuf(atRest).object, revision);
    }
    const apiVersion = /^apiVersion: *"?([^\s"]+)/m.exec(Buffer.from(atRest).toString())?.[1] ?? '';
    const from = this.#named(apiVersion);
    return this.#decoded(from, from.codec.decodeYaml(atRest, 'Ignore').object, revision);
  }

  /** `object` is fresh. */
  #decoded(from: CompiledVersion<T>, object: T, revision: number): WireBytes {
    const { hub, storage } = this.compiled;
    from.codec.applyDefaults(object);
    from.version.applyDefaults?.(object);
    const converted = from.version.toHub?.(object) ?? object;
    const metadata = { ...converted.metadata, resourceVersion: String(revision) };
    return { bytes: hub.codec.encodeJson({ ...converted, metadata }), outdated: from !== storage };
  }

  #named(apiVersion: string): CompiledVersion<T> {
    const found = this.compiled.versions.get(apiVersion);
    if (found !== undefined) return found;
    const known = formatGroupVersion(this.compiled.hub.codec.gvk);
    throw new TypeError(`the stored bytes are of version ${apiVersion || 'none'}, which ${known} does not know`);
  }
}

function mediaTypeOf(atRest: Uint8Array): StorageMediaType {
  if (isProtobufObject(atRest)) return 'application/vnd.kubernetes.protobuf';
  return atRest[0] === OPEN_BRACE ? 'application/json' : 'application/yaml';
}
