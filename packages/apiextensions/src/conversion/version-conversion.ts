import { Buffer } from 'node:buffer';
import type { KubeObject } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { checkJson, parseJsonValue, stringifyJson, stringifyJsonSteps } from '@apiserver/apimachinery/codec/json';
import { plainFailure } from '@apiserver/apimachinery/errors';
import {
  type AtRestConversion,
  type StorageProviderOptions,
  type Transformed,
  takeTurns,
} from '@apiserver/registry-store';
import type { ObjectConverter } from './object-converter.js';

/** Size from which an object is converted in turns of the event loop: below, they would only cost. */
const LARGE = 256 * 1024;

type Cbor = NonNullable<StorageProviderOptions['cbor']>;

/** Input of `versionConversion`. */
export interface VersionConversionOptions {
  /** Codecs of all versions, by apiVersion. */
  readonly codecs: ReadonlyMap<string, KindCodec>;
  /** The apiVersion of the objects that are read and written. */
  readonly apiVersion: string;
  /** The apiVersion in which objects are stored from now on. */
  readonly storedApiVersion: string;
  readonly converter: ObjectConverter;
  /** True if bytes at rest may violate the schema of their version. */
  readonly mayBeOutdated: boolean;
  /** Set if objects are stored in CBOR. */
  readonly cbor?: StorageProviderOptions['cbor'];
  /** Reads objects that are in CBOR in any case. */
  readonly readCbor?: StorageProviderOptions['readCbor'];
}

/**
 * Reads objects of all versions as those of one, and stores them in the storage version. An object is pruned and
 * defaulted by the version in which it is stored. After conversion it is pruned by the other version, and not
 * defaulted again.
 *
 * Upstream: crdConversionRESTOptionsGetter of k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
 */
export function versionConversion(options: VersionConversionOptions): AtRestConversion {
  return new VersionConversion(options);
}

class VersionConversion implements AtRestConversion {
  readonly #options: VersionConversionOptions;
  /** Conversions under way, by bytes at rest: the response to a write and its event need the same one. */
  readonly #pending = new Map<string, Promise<Transformed>>();

  readonly #ownStart: Buffer;

  constructor(options: VersionConversionOptions) {
    this.#options = options;
    this.#ownStart = Buffer.from(`{"apiVersion":${JSON.stringify(options.apiVersion)},`);
  }

  fromStored(stored: Uint8Array): Transformed | Promise<Transformed> {
    const { apiVersion, storedApiVersion, mayBeOutdated, cbor, readCbor = cbor } = this.#options;
    if (stored.length >= LARGE && (mayBeOutdated || !this.#isOwn(stored))) return this.#fromLarge(stored);
    const isCbor = readCbor?.isCborObject(stored) === true;
    const stale = (cbor !== undefined) !== isCbor;
    const bytes = isCbor ? Buffer.from(stringifyJson(readCbor.decodeCborMap(stored))) : stored;
    if (!mayBeOutdated && this.#isOwn(bytes)) {
      return { bytes, stale: stale || apiVersion !== storedApiVersion };
    }
    const from = apiVersionOf(bytes);
    const isStale = stale || from !== storedApiVersion;
    const object = this.#decode(bytes, from);
    if (from === apiVersion) return { bytes: this.#codecOf(from).encodeJson(object), stale: isStale };
    return this.#converted(object, bytes, isStale);
  }

  /** The same in turns of the event loop. */
  async #fromLarge(stored: Uint8Array): Promise<Transformed> {
    const { apiVersion, storedApiVersion, mayBeOutdated, cbor, readCbor = cbor } = this.#options;
    const isCbor = readCbor?.isCborObject(stored) === true;
    const stale = (cbor !== undefined) !== isCbor;
    const bytes = isCbor ? await takeTurns(jsonSteps(readCbor, stored)) : stored;
    if (!mayBeOutdated && this.#isOwn(bytes)) return { bytes, stale: stale || apiVersion !== storedApiVersion };
    const from = apiVersionOf(bytes);
    const isStale = stale || from !== storedApiVersion;
    const object = await takeTurns(decodeSteps(this.#codecOf(from), bytes));
    if (from !== apiVersion) return await this.#converted(object, bytes, isStale);
    return { bytes: await takeTurns(this.#codecOf(from).encodeJsonSteps(object)), stale: isStale };
  }

  async #toStoredLarge(bytes: Uint8Array): Promise<Uint8Array> {
    const { apiVersion, storedApiVersion, converter, cbor } = this.#options;
    if (apiVersion === storedApiVersion && cbor === undefined) return bytes;
    const object = await takeTurns(readSteps(this.#codecOf(apiVersion), bytes));
    const codec = this.#codecOf(storedApiVersion);
    const result =
      apiVersion === storedApiVersion ? object : await converter.convert(object, storedApiVersion, bytes.length);
    if (cbor !== undefined) return await takeTurns(cborSteps(cbor, codec, result));
    return await takeTurns(encodedSteps(codec, result));
  }

  toStored(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const { apiVersion, storedApiVersion, converter } = this.#options;
    if (bytes.length >= LARGE) return this.#toStoredLarge(bytes);
    if (apiVersion === storedApiVersion) return this.#atRest(bytes);
    const { object } = this.#codecOf(apiVersion).decodeJson(bytes, 'Ignore');
    const converted = converter.convert(object, storedApiVersion, bytes.length);
    const codec = this.#codecOf(storedApiVersion);
    if (!(converted instanceof Promise)) return this.#atRest(encoded(codec, converted));
    return converted.then((result) => inSlices(encodedSteps(codec, result))).then((json) => this.#atRest(json));
  }

  /** Concurrent conversions of the same bytes share one result. */
  #converted(object: KubeObject, bytes: Uint8Array, stale: boolean): Transformed | Promise<Transformed> {
    const { apiVersion, converter } = this.#options;
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const converting = converter.convert(object, apiVersion, bytes.length);
    if (bytes.length < LARGE && !(converting instanceof Promise)) {
      return { bytes: encoded(this.#codecOf(apiVersion), converting), stale };
    }
    // A webhook may have made a small object large.
    const converted = Promise.resolve(converting)
      .then((result) => inSlices(encodedSteps(this.#codecOf(apiVersion), result)))
      .then((result) => ({ bytes: result, stale }))
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, converted);
    return converted;
  }

  /** An object as upstream reads it: pruned and defaulted by the version in which it is stored. */
  #decode(bytes: Uint8Array, from: string): KubeObject {
    const codec = this.#codecOf(from);
    const { object } = codec.decodeStored?.(bytes) ?? codec.decodeJson(bytes, 'Ignore');
    codec.applyDefaults(object);
    return object;
  }

  #codecOf(apiVersion: string): KindCodec {
    const codec = this.#options.codecs.get(apiVersion);
    if (codec !== undefined) return codec;
    throw plainFailure(500, `request to convert CR from an invalid group/version: ${apiVersion}`);
  }

  #atRest(json: Uint8Array): Uint8Array {
    const { cbor, storedApiVersion } = this.#options;
    if (cbor === undefined) return json;
    const codec = this.#codecOf(storedApiVersion);
    return cbor.encodeCbor(codec.schema, codec.decodeJson(json, 'Ignore').object);
  }

  /** Reports whether the bytes begin as those that this server writes for its own version. */
  #isOwn(bytes: Uint8Array): boolean {
    return this.#ownStart.equals(bytes.subarray(0, this.#ownStart.length));
  }
}

function apiVersionOf(bytes: Uint8Array): string {
  const value = parseJsonValue(bytes);
  const isObject = typeof value === 'object' && value !== null && 'apiVersion' in value;
  return isObject && typeof value['apiVersion'] === 'string' ? value['apiVersion'] : '';
}

function encoded(codec: KindCodec, object: KubeObject): Uint8Array {
  return codec.encodeJson(codec.normalize(object));
}

function* cborSteps(cbor: Cbor, codec: KindCodec, object: KubeObject): Generator<void, Uint8Array> {
  const normal = codec.normalizeSteps ? yield* codec.normalizeSteps(object) : codec.normalize(object);
  yield;
  return yield* cbor.encodeCborSteps(codec.schema, normal);
}

function* encodedSteps(codec: KindCodec, object: KubeObject): Generator<void, Uint8Array> {
  const normal = codec.normalizeSteps ? yield* codec.normalizeSteps(object) : codec.normalize(object);
  yield;
  return yield* codec.encodeJsonSteps(normal);
}

function* jsonSteps(cbor: Cbor, stored: Uint8Array): Generator<void, Uint8Array> {
  const map = yield* cbor.decodeCborMapSteps(stored);
  yield;
  return Buffer.from(yield* stringifyJsonSteps(map), 'utf8');
}

function* readSteps(codec: KindCodec, bytes: Uint8Array): Generator<void, KubeObject> {
  const checked = checkJson(bytes);
  yield;
  return (yield* codec.decodeSteps(checked, 'Ignore')).object;
}

function* decodeSteps(codec: KindCodec, bytes: Uint8Array): Generator<void, KubeObject> {
  const object = codec.decodeStoredSteps
    ? (yield* codec.decodeStoredSteps(bytes)).object
    : yield* readSteps(codec, bytes);
  yield;
  codec.applyDefaults(object);
  return object;
}
