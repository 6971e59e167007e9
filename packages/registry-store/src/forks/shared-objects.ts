import type { KubeObject } from '@apiserver/apimachinery';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { ObjectForm } from '../objects/forms/object-form.js';
import type { ObjectSource } from '../objects/known-objects.js';
import { ownCopy } from '../own-copy.js';
import { SharedWires } from './shared-wires.js';

/** Bytes of the kept objects, as on the wire. */
const MAX_BYTES = 4 * 2 ** 20;

/**
 * The objects that forks of one store have in common. The first fork decodes an object, and all later ones that have
 * the same bytes share it. The newest objects beyond the limit are not kept.
 */
export class SharedObjects implements ObjectSource {
  readonly wires = new SharedWires();
  readonly #others: () => ObjectSource | undefined;
  readonly #objects = new Map<string, { readonly bytes: Buffer; readonly object: KubeObject }>();
  #size = 0;

  /** `others` decodes what is not kept here, if it can. */
  constructor(others: () => ObjectSource | undefined) {
    this.#others = others;
  }

  decode<T extends KubeObject>(key: string, bytes: Uint8Array, form: ObjectForm<T>): T {
    // A server with other options may keep the object in another form.
    const id = `${form.wireForm.version} ${key}`;
    const kept = this.#objects.get(id);
    // Equal keys have one type of object.
    if (kept?.bytes.equals(bytes)) return kept.object as T;
    const object = this.#others()?.decode(key, bytes, form) ?? form.decode(bytes);
    freezeJson(object);
    this.#keep(id, bytes, object);
    return object;
  }

  #keep(id: string, bytes: Uint8Array, object: KubeObject): void {
    const size = this.#size + bytes.length - (this.#objects.get(id)?.bytes.length ?? 0);
    if (size > MAX_BYTES) return;
    this.#size = size;
    // The given bytes are part of a cache's memory.
    this.#objects.set(id, { bytes: ownCopy(bytes), object });
  }
}
