import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { isProtobufObject, unwrapUnknown } from '@apiserver/apimachinery/codec/protobuf';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { detached } from '../../own-copy.js';
import {
  type CompiledVersion,
  type CompiledVersions,
  compileVersions,
  createJsonForm,
  type ObjectForm,
  objectAtRest,
  type WireBytes,
} from './object-form.js';
import { OverJsonForm } from './over-json-form.js';
import { RecentlyWritten } from './recently-written.js';
import { asBuffer } from './resource-version-splice.js';

/** Encodings of objects at rest. Upstream flag: --storage-media-type */
export const STORAGE_MEDIA_TYPES = [
  'application/json',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
] as const;

/** Values of `--storage-media-type`. */
export type StorageMediaType = (typeof STORAGE_MEDIA_TYPES)[number];

const OPEN_BRACE = 0x7b;

/**
 * A configurable form at rest, for stores shared with upstream's servers. All encodings are read; an object in another
 * than the configured one is outdated, so that its next update rewrites it.
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
  /** Recent wire bytes by their bytes at rest. */
  readonly #written = new RecentlyWritten<WireBytes>(({ bytes, outdated }) => ({ bytes: detached(bytes), outdated }));

  constructor(json: ObjectForm<T>, compiled: CompiledVersions<T>, mediaType: StorageMediaType) {
    super(json, compiled);
    this.#mediaType = mediaType;
    this.wireIsAtRest = compiled.hub === compiled.storage;
  }

  encode(object: T): Uint8Array {
    if (this.#mediaType === 'application/json') return this.json.encode(object);
    const { storage } = this.compiled;
    const { codec } = storage;
    const stored = objectAtRest(storage, object);
    const bytes = this.#mediaType === 'application/yaml' ? codec.encodeYaml(stored) : codec.encodeProtobuf(stored);
    this.#written.add(bytes);
    return bytes;
  }

  wire(atRest: Uint8Array, revision: number): WireBytes {
    const encoding = mediaTypeOf(atRest);
    if (encoding === 'application/json') {
      // Its members are decoded on demand, but invalid JSON must be reported at once.
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

  /** Text in YAML is parsed in one go. */
  wireSteps(atRest: Uint8Array, revision: number): Generator<void, WireBytes> | undefined {
    const encoding = mediaTypeOf(atRest);
    if (encoding === 'application/yaml') return undefined;
    const steps =
      encoding === 'application/json' ? this.json.wireSteps?.(atRest, revision) : this.#protobufSteps(atRest, revision);
    return steps && this.#judgedSteps(steps, encoding);
  }

  *#judgedSteps(steps: Generator<void, WireBytes>, encoding: StorageMediaType): Generator<void, WireBytes> {
    return this.#judged(yield* steps, encoding);
  }

  *#protobufSteps(atRest: Uint8Array, revision: number): Generator<void, WireBytes> {
    const from = this.#named(unwrapUnknown(atRest).apiVersion);
    const { object } = yield* from.codec.decodeProtobufSteps(atRest);
    yield;
    const { hub, storage } = this.compiled;
    const canonical = this.#inHub(from, object, revision);
    yield;
    return { bytes: yield* hub.codec.encodeJsonSteps(canonical), outdated: from !== storage };
  }

  /** Objects in another encoding than the configured one are outdated, whatever their version. */
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

  /** `object` belongs to the caller. */
  #decoded(from: CompiledVersion<T>, object: T, revision: number): WireBytes {
    const { hub, storage } = this.compiled;
    return { bytes: hub.codec.encodeJson(this.#inHub(from, object, revision)), outdated: from !== storage };
  }

  /** `object` belongs to the caller. */
  #inHub(from: CompiledVersion<T>, object: T, revision: number): T {
    from.codec.applyDefaults(object);
    from.version.applyDefaults?.(object);
    const converted = from.version.toHub?.(object) ?? object;
    return { ...converted, metadata: { ...converted.metadata, resourceVersion: String(revision) } };
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
