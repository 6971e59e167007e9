import type { ReferredKind } from './pod-references.js';

/**
 * An object that pods refer to, and the nodes of these pods. Most objects have pods on one node, so a map is only made
 * for the second node.
 */
export class ReferredObject {
  readonly kind: ReferredKind;
  readonly key: string;
  /** Volumes that use this object as their secret. */
  readonly volumes = new LazySet<BoundVolume>();
  /** References by pods and volumes. The object is forgotten without any. */
  #users = 0;
  #first: string | undefined;
  #pods = 0;
  #others: Map<string, number> | undefined;

  constructor(kind: ReferredKind, key: string) {
    this.kind = kind;
    this.key = key;
  }

  get isUnused(): boolean {
    return this.#users === 0;
  }

  hasNode(node: string): boolean {
    return (this.#pods > 0 && this.#first === node) || this.#others?.has(node) === true;
  }

  /** A volume refers to the object. */
  use(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
  }

  /** A pod on the node refers to the object. */
  usePod(node: string): void {
    this.#users++;
    if (this.#pods === 0 && this.#others?.has(node) !== true) this.#first = node;
    if (this.#first === node) {
      this.#pods++;
      return;
    }
    this.#others ??= new Map();
    this.#others.set(node, (this.#others.get(node) ?? 0) + 1);
  }

  releasePod(node: string): void {
    this.#users--;
    if (this.#first === node && this.#pods > 0) {
      this.#pods--;
      return;
    }
    const left = (this.#others?.get(node) ?? 0) - 1;
    if (left > 0) this.#others?.set(node, left);
    else this.#others?.delete(node);
  }
}

/** A volume that is bound to a claim, and its secrets. */
export interface BoundVolume {
  readonly claim: ReferredObject;
  readonly secrets: readonly ReferredObject[];
}

/** A set that takes no memory while it is empty. */
class LazySet<T> {
  #values: Set<T> | undefined;

  add(value: T): void {
    this.#values ??= new Set();
    this.#values.add(value);
  }

  delete(value: T): void {
    this.#values?.delete(value);
    if (this.#values?.size === 0) this.#values = undefined;
  }

  some(matches: (value: T) => boolean): boolean {
    if (this.#values === undefined) return false;
    for (const value of this.#values) if (matches(value)) return true;
    return false;
  }
}
