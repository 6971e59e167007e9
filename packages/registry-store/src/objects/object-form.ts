import type { KindCodec, KindSchema, KubeObject } from '@apiserver/apimachinery';
import type { ResourceDefinition, ResourceVersionDefinition, WireForm } from '@apiserver/apiserver-contracts';
import { type ComesBefore, sortedOrder, structOrder, withResourceVersion } from './resource-version-splice.js';

/**
 * The three forms of an object: at rest (without its revision, in the storage version), canonical (in the hub version,
 * with its revision) and the bytes that are kept for the wire (the same in JSON).
 */
export interface ObjectForm<T extends KubeObject> {
  /** What the kept bytes are. */
  readonly wireForm: WireForm;
  /** True when the wire bytes are those at rest with the revision put in, so that equal wire bytes mean equal at rest. */
  readonly wireIsAtRest: boolean;
  /** Bytes at rest; a resourceVersion in `object` is left out. */
  encode(object: T): Uint8Array;
  /** Wire bytes from those at rest. Throws what the codec throws when they are not such an object. */
  wire(atRest: Uint8Array, revision: number): Uint8Array;
  /** The same wire bytes with another revision. */
  rewire(wire: Uint8Array, revision: number): Uint8Array;
  /** A fresh canonical object from wire bytes, defaulted. */
  decode(wire: Uint8Array): T;
  /** Wire bytes of an object that has nothing but a revision: what bookmarks carry. */
  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Uint8Array;
}

/**
 * JSON at rest: what custom resources use everywhere, and all kinds on the embedded store. With the storage version
 * equal to the hub, wire bytes are those at rest with the revision spliced in: nothing is parsed and encoded again.
 */
export function createJsonForm<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  codecFor: (schema: KindSchema) => KindCodec,
): ObjectForm<T> {
  const hub = versionOf(definition, definition.hubVersion);
  const storage = versionOf(definition, definition.storageVersion);
  return new JsonForm<T>({
    hub: { version: hub, codec: codecFor(hub.schema) as KindCodec<T> },
    storage: { version: storage, codec: codecFor(storage.schema) as KindCodec<T> },
    comesBefore: hub.schema.semantics === 'structural' ? sortedOrder : structOrder,
  });
}

function versionOf<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  version: string,
): ResourceVersionDefinition<T> {
  const found = definition.versions.find((candidate) => candidate.version === version);
  if (found === undefined) throw new TypeError(`${definition.resource} has no version ${version}`);
  return found;
}

interface CompiledVersion<T extends KubeObject> {
  readonly version: ResourceVersionDefinition<T>;
  readonly codec: KindCodec<T>;
}

interface JsonFormOptions<T extends KubeObject> {
  readonly hub: CompiledVersion<T>;
  readonly storage: CompiledVersion<T>;
  readonly comesBefore: ComesBefore;
}

class JsonForm<T extends KubeObject> implements ObjectForm<T> {
  readonly wireForm: WireForm;
  readonly wireIsAtRest: boolean;
  readonly #options: JsonFormOptions<T>;

  constructor(options: JsonFormOptions<T>) {
    this.#options = options;
    this.wireIsAtRest = options.hub.version.version === options.storage.version.version;
    this.wireForm = { contentType: 'application/json', ...options.hub.codec.gvk };
  }

  encode(object: T): Uint8Array {
    const { storage } = this.#options;
    const plain = withoutResourceVersion(object);
    return storage.codec.encodeJson(this.wireIsAtRest ? plain : (storage.version.fromHub?.(plain) ?? plain));
  }

  wire(atRest: Uint8Array, revision: number): Uint8Array {
    return this.rewire(this.wireIsAtRest ? atRest : this.#convert(atRest), revision);
  }

  rewire(wire: Uint8Array, revision: number): Uint8Array {
    const spliced = withResourceVersion(wire, revision, this.#options.comesBefore);
    if (spliced === undefined) throw new TypeError('the stored bytes are no JSON object with metadata');
    return spliced;
  }

  decode(wire: Uint8Array): T {
    return decodeDefaulted(this.#options.hub, wire);
  }

  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    const { codec } = this.#options.hub;
    const { group, version, kind } = codec.gvk;
    const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
    const object: KubeObject = { kind, apiVersion: group === '' ? version : `${group}/${version}`, metadata };
    return codec.encodeJson(object as T);
  }

  /** Bytes of another version at rest, as hub bytes without revision. */
  #convert(atRest: Uint8Array): Uint8Array {
    const { hub, storage } = this.#options;
    const stored = decodeDefaulted(storage, atRest);
    return hub.codec.encodeJson(storage.version.toHub?.(stored) ?? stored);
  }
}

function decodeDefaulted<T extends KubeObject>({ version, codec }: CompiledVersion<T>, bytes: Uint8Array): T {
  const { object } = codec.decodeJson(bytes, 'Ignore');
  codec.applyDefaults(object);
  version.applyDefaults?.(object);
  return object;
}

function withoutResourceVersion<T extends KubeObject>(object: T): T {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
