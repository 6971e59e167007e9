import type { WireForm } from '@apiserver/apiserver-contracts';
import { ByteSlabs, type Movable } from './byte-slabs.js';
import type { Kept, KeptForms } from './kept-forms.js';

/** Bytes of an object in another form than that of the cache. */
class ObjectBytes implements Kept, Movable {
  readonly form: WireForm;
  readonly byteLength: number;
  usedIn = 0;
  slot = -1;
  next: ObjectBytes | undefined;
  readonly #forms: ObjectForms;
  #memory: Uint8Array;
  #offset = 0;

  constructor(forms: ObjectForms, form: WireForm, bytes: Uint8Array) {
    this.#forms = forms;
    this.form = form;
    this.#memory = bytes;
    this.byteLength = bytes.length;
  }

  get size(): number {
    return this.byteLength;
  }

  get memory(): Uint8Array {
    return this.#memory;
  }

  get bytes(): Uint8Array {
    const memory = this.#memory;
    if (memory.length === this.byteLength) return memory;
    return memory.subarray(this.#offset, this.#offset + this.byteLength);
  }

  moveTo(memory: Uint8Array, offset: number): void {
    this.#memory = memory;
    this.#offset = offset;
  }

  forget(): void {
    this.#forms.drop(this);
  }
}

/** The memory of such bytes. */
export class FormMemory {
  readonly bound: KeptForms;
  readonly slabs = new ByteSlabs();

  constructor(bound: KeptForms) {
    this.bound = bound;
  }
}

/** The kept forms of one cached object: few, in no order. */
export class ObjectForms {
  readonly #memory: FormMemory;
  #first: ObjectBytes | undefined;

  constructor(memory: FormMemory) {
    this.#memory = memory;
  }

  /** The bytes in a form, which is known by its identity. */
  bytes(form: WireForm): Uint8Array | undefined {
    for (let one = this.#first; one !== undefined; one = one.next) {
      if (one.form !== form) continue;
      one.usedIn = this.#memory.bound.period;
      return one.bytes;
    }
    return undefined;
  }

  /** Keeps a copy of bytes if there is room, once for a form. */
  add(form: WireForm, bytes: Uint8Array): void {
    const { bound, slabs } = this.#memory;
    if (this.bytes(form) !== undefined || !bound.hasRoom(bytes.length)) return;
    const added = new ObjectBytes(this, form, bytes);
    slabs.place(added);
    added.next = this.#first;
    this.#first = added;
    bound.add(added);
  }

  /** Drops bytes that the bound has forgotten. */
  drop(dropped: ObjectBytes): void {
    this.#memory.slabs.release(dropped);
    if (this.#first === dropped) this.#first = dropped.next;
    for (let one = this.#first; one !== undefined; one = one.next) {
      if (one.next === dropped) one.next = dropped.next;
    }
  }

  clear(): void {
    const { bound, slabs } = this.#memory;
    for (let one = this.#first; one !== undefined; one = one.next) {
      bound.remove(one);
      slabs.release(one);
    }
    this.#first = undefined;
  }
}
