import type { KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { type Cbor, jsonOfCborSteps } from './cbor.js';
import {
  type CompiledVersions,
  compileVersions,
  createJsonForm,
  type ObjectForm,
  objectAtRest,
  type WireBytes,
} from './object-form.js';
import { OverJsonForm } from './over-json-form.js';
import type { Allocate } from './resource-version-splice.js';

/**
 * Custom resources in CBOR at rest. JSON is read too, and reported as outdated, so that its next update rewrites it.
 * The kept bytes are JSON, as always.
 * Upstream: NewCRDRESTOptionsGetter in k8s.io/apiextensions-apiserver/pkg/cmd/server/options, with
 * CBORServingAndStorage
 */
export function createCborForm<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  codecFor: (schema: KindSchema) => KindCodec,
  cbor: Cbor,
): ObjectForm<T> {
  return new CborForm(createJsonForm(definition, codecFor), compileVersions(definition, codecFor), cbor);
}

class CborForm<T extends KubeObject> extends OverJsonForm<T> {
  readonly wireIsAtRest: boolean;
  readonly #cbor: Cbor;

  constructor(json: ObjectForm<T>, compiled: CompiledVersions<T>, cbor: Cbor) {
    super(json, compiled);
    this.wireIsAtRest = json.wireIsAtRest;
    this.#cbor = cbor;
  }

  encode(object: T): Uint8Array {
    const { storage } = this.compiled;
    return this.#cbor.encodeCbor(storage.codec.schema, objectAtRest(storage, object));
  }

  encodeSteps(object: T): Generator<void, Uint8Array> {
    const { storage } = this.compiled;
    return this.#cbor.encodeCborSteps(storage.codec.schema, objectAtRest(storage, object));
  }

  wire(atRest: Uint8Array, revision: number, allocate?: Allocate): WireBytes {
    if (!this.#cbor.isCborObject(atRest)) return { ...this.json.wire(atRest, revision, allocate), outdated: true };
    const json = stringifyJson(this.#cbor.decodeCborMap(atRest));
    return this.json.wire(Buffer.from(json, 'utf8'), revision, allocate);
  }

  wireSteps(atRest: Uint8Array, revision: number): Generator<void, WireBytes> | undefined {
    if (this.#cbor.isCborObject(atRest)) return this.#cborSteps(atRest, revision);
    const steps = this.json.wireSteps?.(atRest, revision);
    return steps && outdatedSteps(steps);
  }

  *#cborSteps(atRest: Uint8Array, revision: number): Generator<void, WireBytes> {
    const json = yield* jsonOfCborSteps(this.#cbor, atRest);
    yield;
    const steps = this.json.wireSteps?.(json, revision);
    return steps === undefined ? this.json.wire(json, revision) : yield* steps;
  }
}

function* outdatedSteps(steps: Generator<void, WireBytes>): Generator<void, WireBytes> {
  return { ...(yield* steps), outdated: true };
}
