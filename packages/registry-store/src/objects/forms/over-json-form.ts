import type { KubeObject } from '@apiserver/apimachinery';
import type { WireForm } from '@apiserver/apiserver-contracts';
import type { CompiledVersions, ObjectForm, WireBytes } from './object-form.js';
import type { Allocate } from './resource-version-splice.js';

/** Forms that only differ from JSON at rest: their wire bytes are JSON. */
export abstract class OverJsonForm<T extends KubeObject> implements ObjectForm<T> {
  readonly wireForm: WireForm;
  protected readonly json: ObjectForm<T>;
  protected readonly compiled: CompiledVersions<T>;

  constructor(json: ObjectForm<T>, compiled: CompiledVersions<T>) {
    this.json = json;
    this.compiled = compiled;
    this.wireForm = json.wireForm;
  }

  abstract readonly wireIsAtRest: boolean;

  abstract encode(object: T): Uint8Array;

  abstract wire(atRest: Uint8Array, revision: number, allocate?: Allocate): WireBytes;

  rewire(wire: Uint8Array, revision: number): Uint8Array {
    return this.json.rewire(wire, revision);
  }

  decode(wire: Uint8Array): T {
    return this.json.decode(wire);
  }

  decodeSteps(wire: Uint8Array): Generator<void, T> {
    return this.json.decodeSteps(wire);
  }

  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    return this.json.bookmark(revision, annotations);
  }
}
