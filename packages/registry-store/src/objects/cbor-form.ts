import { type KindCodec, type KindSchema, type KubeObject, stringifyJson } from '@apiserver/apimachinery';
import type { ResourceDefinition, WireForm } from '@apiserver/apiserver-contracts';
import {
  type CompiledVersions,
  compileVersions,
  createJsonForm,
  type ObjectForm,
  type WireBytes,
  withoutResourceVersion,
} from './object-form.js';
import type { Allocate } from './resource-version-splice.js';

/** The codec of CBOR, handed over by who wants it: nobody else loads it. */
export type Cbor = typeof import('@apiserver/apimachinery/cbor');

/**
 * Custom resources in CBOR at rest; what is still in JSON is read and called outdated, so that its next update rewrites it.
 * The kept bytes are JSON, as they are of everything.
 * Upstream: NewCRDRESTOptionsGetter in k8s.io/apiextensions-apiserver/pkg/cmd/server/options, with CBORServingAndStorage
 */
export function createCborForm<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  codecFor: (schema: KindSchema) => KindCodec,
  cbor: Cbor,
): ObjectForm<T> {
  return new CborForm(createJsonForm(definition, codecFor), compileVersions(definition, codecFor), cbor);
}

class CborForm<T extends KubeObject> implements ObjectForm<T> {
  readonly wireForm: WireForm;
  readonly wireIsAtRest: boolean;
  readonly #json: ObjectForm<T>;
  readonly #storage: CompiledVersions<T>['storage'];
  readonly #cbor: Cbor;

  constructor(json: ObjectForm<T>, { storage }: CompiledVersions<T>, cbor: Cbor) {
    this.wireForm = json.wireForm;
    this.wireIsAtRest = json.wireIsAtRest;
    this.#json = json;
    this.#storage = storage;
    this.#cbor = cbor;
  }

  encode(object: T): Uint8Array {
    const { version, codec } = this.#storage;
    const plain = withoutResourceVersion(object);
    return this.#cbor.encodeCbor(codec.schema, version.fromHub?.(plain) ?? plain);
  }

  wire(atRest: Uint8Array, revision: number, allocate?: Allocate): WireBytes {
    if (!this.#cbor.isCborObject(atRest)) return { ...this.#json.wire(atRest, revision, allocate), outdated: true };
    const json = stringifyJson(this.#cbor.decodeCborMap(atRest));
    return this.#json.wire(Buffer.from(json, 'utf8'), revision, allocate);
  }

  rewire(wire: Uint8Array, revision: number): Uint8Array {
    return this.#json.rewire(wire, revision);
  }

  decode(wire: Uint8Array): T {
    return this.#json.decode(wire);
  }

  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    return this.#json.bookmark(revision, annotations);
  }
}
