import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import type { Decoded, KeptAs, KindCodec } from '@apiserver/apimachinery/codec';
import { checkJson, stringifyJson } from '@apiserver/apimachinery/codec/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition, ResourceVersionDefinition, WireForm } from '@apiserver/apiserver-contracts';
import { storagePolicyOf } from '../../semantics/policies.js';
import type { AtRestPolicy } from '../../semantics/storage-policy.js';
import { type Cbor, jsonOfCborSteps } from './cbor.js';
import { jsonMember } from './json-members.js';
import { type Allocate, asBuffer, splicedLength, withResourceVersion } from './resource-version-splice.js';

/** The wire bytes of an object, made of its bytes at rest. */
export interface WireBytes {
  readonly bytes: Uint8Array;
  /** True if they were not in the storage version. */
  readonly outdated: boolean;
}

/**
 * The three forms of an object. At rest it is in the storage version without its revision. The canonical form is in the
 * hub version with its revision. Wire bytes are the canonical form in JSON.
 */
export interface ObjectForm<T extends KubeObject> {
  /** The form of the wire bytes. */
  readonly wireForm: WireForm;
  /**
   * True if wire bytes are those at rest with the revision inserted. Equal wire bytes then mean equal bytes at rest,
   * unless `wire` reported an object as outdated.
   */
  readonly wireIsAtRest: boolean;
  /** Bytes at rest; a resourceVersion in `object` is left out. */
  encode(object: T): Uint8Array;
  /**
   * The same in steps of a few milliseconds, where there are any. They refer to as little of the object as they can: a
   * caller that drops it does not hold all of it beside its bytes.
   */
  encodeSteps?(object: T): Generator<void, Uint8Array>;
  /**
   * Wire bytes from those at rest, in any version of the resource. They are in separate memory, or in that from
   * `allocate`. Throws if they are not such an object.
   */
  wire(atRest: Uint8Array, revision: number, allocate?: Allocate): WireBytes;
  /**
   * The same in steps of a few milliseconds, for large values. They take separate memory. Undefined where nothing but
   * the revision changes, so that `wire` is cheap; absent: it always is.
   */
  wireSteps?(atRest: Uint8Array, revision: number): Generator<void, WireBytes> | undefined;
  /**
   * False if the lengths show that these bytes at rest do not become that wire of that revision. Absent: never equal.
   */
  readonly mayBecome?: (atRest: Uint8Array, wire: Uint8Array, revision: number) => boolean;
  /** The same wire bytes with another revision. */
  rewire(wire: Uint8Array, revision: number): Uint8Array;
  /** A new canonical object from wire bytes, defaulted unless they are those of a bookmark. */
  decode(wire: Uint8Array): T;
  /** The same in steps of a few milliseconds. The total cost is higher. */
  decodeSteps(wire: Uint8Array): Generator<void, T>;
  /**
   * The result of `decode` for the wire bytes of `written` at this revision, without reading them. It shares parts with
   * `written`, which is frozen. Returns undefined if the bytes must be read; absent if they always must.
   */
  readonly decodeWritten?: ((written: T, revision: number) => T | undefined) | undefined;
  /** Wire bytes of an object with only a revision, for bookmarks. */
  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Uint8Array;
}

/**
 * JSON at rest: for custom resources on every store, and all kinds on the embedded store. For an object stored in the
 * hub version, wire bytes are those at rest with the revision spliced in, without decoding. `keptAs` is the format in
 * which upstream would store it, whose losses are reproduced.
 */
export function createJsonForm<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  codecFor: (schema: KindSchema) => KindCodec,
  { keptAs = 'json', defaultsOnRead = true, readCbor }: JsonFormSettings = {},
): ObjectForm<T> {
  const compiled = compileVersions(definition, codecFor);
  const policy = storagePolicyOf(definition).atRest;
  const mayBeOutdated = definition.mayBeOutdatedAtRest === true;
  return new JsonForm<T>({ ...compiled, policy, mayBeOutdated, keptAs, defaultsOnRead, readCbor });
}

/** Options of `createJsonForm`. */
export interface JsonFormSettings {
  /** Default: `json`. */
  readonly keptAs?: KeptAs;
  /** False to decode objects as they are. Default: true. */
  readonly defaultsOnRead?: boolean;
  /** Objects in CBOR are read too, and reported as outdated. Default: they are unreadable. */
  readonly readCbor?: Cbor | undefined;
}

/** One version of a resource with its codec. */
export interface CompiledVersion<T extends KubeObject> {
  readonly version: ResourceVersionDefinition<T>;
  readonly codec: KindCodec<T>;
}

/** The versions of a resource that are used at rest. */
export interface CompiledVersions<T extends KubeObject> {
  /** By apiVersion. */
  readonly versions: ReadonlyMap<string, CompiledVersion<T>>;
  readonly hub: CompiledVersion<T>;
  readonly storage: CompiledVersion<T>;
}

/** Finds hub and storage version. Throws TypeError for a definition without them. */
export function compileVersions<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  codecFor: (schema: KindSchema) => KindCodec,
): CompiledVersions<T> {
  const versions = new Map<string, CompiledVersion<T>>();
  for (const version of [...definition.versions, ...(definition.otherVersions ?? [])]) {
    const codec = codecFor(version.schema) as KindCodec<T>;
    versions.set(formatGroupVersion(version.schema.gvk), { version, codec });
  }
  const named = (version: string): CompiledVersion<T> => {
    const found = [...versions.values()].find((candidate) => candidate.version.version === version);
    if (found === undefined) throw new TypeError(`${definition.resource} has no version ${version}`);
    return found;
  };
  return { versions, hub: named(definition.hubVersion), storage: named(definition.storageVersion) };
}

interface JsonFormOptions<T extends KubeObject> extends CompiledVersions<T> {
  readonly policy: AtRestPolicy;
  /** True if bytes at rest of the hub version still differ from those of the wire. */
  readonly mayBeOutdated: boolean;
  readonly keptAs: KeptAs;
  readonly defaultsOnRead: boolean;
  readonly readCbor: Cbor | undefined;
}

const LINE_FEED = 0x0a;

class JsonForm<T extends KubeObject> implements ObjectForm<T> {
  readonly wireForm: WireForm;
  readonly wireIsAtRest: boolean;
  readonly decodeWritten: ObjectForm<T>['decodeWritten'];
  readonly #options: JsonFormOptions<T>;
  readonly #hubVersion: string;
  /** Output of `encode` is canonical, whereas stored bytes may not be. */
  readonly #made = new WeakSet<Uint8Array>();

  constructor(options: JsonFormOptions<T>) {
    this.#options = options;
    this.#hubVersion = formatGroupVersion(options.hub.codec.gvk);
    this.wireIsAtRest = options.hub === options.storage && !options.mayBeOutdated;
    this.wireForm = { contentType: 'application/json', ...options.hub.codec.gvk };
    const isPlain = this.wireIsAtRest && options.hub.version.fromHub === undefined && options.policy.reusesWritten;
    this.decodeWritten = isPlain ? (written, revision) => decodeWritten(options, written, revision) : undefined;
  }

  encode(object: T): Uint8Array {
    const { storage, keptAs } = this.#options;
    const bytes = storage.codec.encodeJson(objectAtRest(storage, object), keptAs);
    if (this.#options.mayBeOutdated) this.#made.add(bytes);
    return bytes;
  }

  encodeSteps(object: T): Generator<void, Uint8Array> {
    const { storage, keptAs, mayBeOutdated } = this.#options;
    const steps = storage.codec.encodeJsonSteps(objectAtRest(storage, object), keptAs);
    return mayBeOutdated ? this.#remembered(steps) : steps;
  }

  *#remembered(steps: Generator<void, Uint8Array>): Generator<void, Uint8Array> {
    const bytes = yield* steps;
    this.#made.add(bytes);
    return bytes;
  }

  wire(stored: Uint8Array, revision: number, allocate?: Allocate): WireBytes {
    const { hub, storage, mayBeOutdated, readCbor } = this.#options;
    if (readCbor?.isCborObject(stored) === true) {
      const json = stringifyJson(readCbor.decodeCborMap(stored));
      return { ...this.wire(Buffer.from(json), revision, allocate), outdated: true };
    }
    // Upstream terminates a stored object with a line feed.
    const atRest = stored.at(-1) === LINE_FEED ? stored.subarray(0, -1) : stored;
    const version = this.#versionOf(atRest);
    const isCurrent = version === hub && (!mayBeOutdated || this.#made.has(stored));
    const bytes = this.#spliced(isCurrent ? atRest : this.#convert(atRest, version), revision, allocate);
    return { bytes, outdated: version !== storage };
  }

  wireSteps(stored: Uint8Array, revision: number): Generator<void, WireBytes> | undefined {
    const { hub, mayBeOutdated, readCbor } = this.#options;
    if (readCbor?.isCborObject(stored) === true) return this.#cborSteps(readCbor, stored, revision);
    const atRest = stored.at(-1) === LINE_FEED ? stored.subarray(0, -1) : stored;
    const version = this.#versionOf(atRest);
    if (version === hub && (!mayBeOutdated || this.#made.has(stored))) return undefined;
    return this.#foreignSteps(atRest, version, revision);
  }

  *#cborSteps(cbor: Cbor, stored: Uint8Array, revision: number): Generator<void, WireBytes> {
    const json = yield* jsonOfCborSteps(cbor, stored);
    yield;
    const steps = this.wireSteps(json, revision);
    const { bytes } = steps === undefined ? this.wire(json, revision) : yield* steps;
    return { bytes, outdated: true };
  }

  *#foreignSteps(atRest: Uint8Array, version: CompiledVersion<T>, revision: number): Generator<void, WireBytes> {
    const hubBytes = yield* this.#convertSteps(atRest, version);
    yield;
    return { bytes: this.#spliced(hubBytes, revision), outdated: version !== this.#options.storage };
  }

  mayBecome(atRest: Uint8Array, wire: Uint8Array, revision: number): boolean {
    const commas = wire.length - atRest.length - splicedLength(revision);
    return !this.wireIsAtRest || commas === 0 || commas === 1;
  }

  rewire(wire: Uint8Array, revision: number): Uint8Array {
    return this.#spliced(wire, revision);
  }

  #spliced(wire: Uint8Array, revision: number, allocate?: Allocate): Uint8Array {
    const spliced = withResourceVersion(wire, revision, this.#options.policy.comesBeforeVersion, allocate);
    if (spliced === undefined) throw new TypeError('the stored bytes are no JSON object with metadata');
    return spliced;
  }

  decode(wire: Uint8Array): T {
    const { hub, defaultsOnRead } = this.#options;
    const parsed = hub.codec.decodeEncoded?.(wire);
    if (parsed !== undefined) return parsed;
    const { object } = hub.codec.decodeJson(wire, 'Ignore');
    return defaultsOnRead && !isBookmark(object) ? defaulted(hub, object) : object;
  }

  *decodeSteps(wire: Uint8Array): Generator<void, T> {
    const { hub, defaultsOnRead } = this.#options;
    if (hub.codec.decodeEncodedSteps !== undefined) return yield* hub.codec.decodeEncodedSteps(wire);
    const checked = checkJson(wire);
    yield;
    const { object } = yield* hub.codec.decodeSteps(checked, 'Ignore');
    yield;
    return defaultsOnRead && !isBookmark(object) ? defaulted(hub, object) : object;
  }

  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    const { codec } = this.#options.hub;
    const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
    const object: KubeObject = { kind: codec.gvk.kind, apiVersion: formatGroupVersion(codec.gvk), metadata };
    return codec.encodeJson(object as T);
  }

  /** Converts bytes at rest of another version or an older schema to hub bytes without revision. */
  #convert(atRest: Uint8Array, from: CompiledVersion<T>): Uint8Array {
    const { hub, policy } = this.#options;
    const stored = defaulted(
      from,
      (from.codec.decodeStored?.(atRest) ?? from.codec.decodeJson(atRest, 'Ignore')).object,
    );
    const converted = from.version.toHub?.(stored) ?? stored;
    return hub.codec.encodeJson(from === hub ? converted : policy.cutToHub(hub.codec, converted));
  }

  *#convertSteps(atRest: Uint8Array, from: CompiledVersion<T>): Generator<void, Uint8Array> {
    const { hub, policy } = this.#options;
    const { object } = yield* storedSteps(from.codec, atRest);
    yield;
    const stored = defaulted(from, object);
    yield;
    const converted = from.version.toHub?.(stored) ?? stored;
    yield;
    return yield* hub.codec.encodeJsonSteps(from === hub ? converted : policy.cutToHub(hub.codec, converted));
  }

  #versionOf(atRest: Uint8Array): CompiledVersion<T> {
    const bytes = asBuffer(atRest);
    const member = jsonMember(bytes, 0, 'apiVersion');
    // Nearly always; a look-up would intern the text each time.
    if (member?.hasText(this.#hubVersion)) return this.#options.hub;
    const apiVersion = member && bytes.toString('latin1', member.valueStart + 1, member.end - 1);
    const found = apiVersion === undefined ? undefined : this.#options.versions.get(apiVersion);
    if (found === undefined) throw this.#options.policy.unknownVersion(apiVersion ?? 'none');
    return found;
  }
}

function* storedSteps<T>(codec: KindCodec<T>, atRest: Uint8Array): Generator<void, Decoded<T>> {
  if (codec.decodeStoredSteps !== undefined) return yield* codec.decodeStoredSteps(atRest);
  const checked = checkJson(atRest);
  yield;
  return yield* codec.decodeSteps(checked, 'Ignore');
}

/** Only the object of a bookmark has no name. Upstream gives it no defaults: it is a new object of the internal type. */
function isBookmark({ metadata }: KubeObject): boolean {
  return metadata.name === undefined;
}

function defaulted<T extends KubeObject>({ version, codec }: CompiledVersion<T>, object: T): T {
  codec.applyDefaults(object);
  version.applyDefaults?.(object);
  return object;
}

function decodeWritten<T extends KubeObject>(
  { hub, keptAs }: JsonFormOptions<T>,
  written: T,
  revision: number,
): T | undefined {
  const metadata = { ...written.metadata, resourceVersion: String(revision) };
  const object = hub.codec.reread({ ...written, metadata }, keptAs);
  return object && defaultedAsItIs(hub, object);
}

/** Undefined for an object that lacks a default in a frozen part: nearly all are defaulted when they are sent. */
function defaultedAsItIs<T extends KubeObject>(version: CompiledVersion<T>, object: T): T | undefined {
  try {
    return defaulted(version, object);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The object as it is stored: in the storage version, and without a resourceVersion. */
export function objectAtRest<T extends KubeObject>({ version }: CompiledVersion<T>, object: T): T {
  const plain = withoutResourceVersion(object);
  return version.fromHub?.(plain) ?? plain;
}

function withoutResourceVersion<T extends KubeObject>(object: T): T {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
