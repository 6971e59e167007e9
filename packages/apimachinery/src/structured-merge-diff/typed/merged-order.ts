import type { PathElement } from '../field-set/path-element.js';

/** The elements of a merged list, in order. */
export interface MergedOrder {
  readonly elements: readonly PathElement[];
  /** By place: the index in the live list for an item that is only live. Empty if no item is. */
  readonly live: readonly (number | undefined)[];
}

/** Elements that are ordered between two pauses. */
const SLICE = 4_096;

/**
 * The order of a merged list. Elements of both lists are in the applied order. A live element that is not applied stays
 * after its live predecessor, as far as possible. Only live elements may be repeated.
 */
export function mergedOrder(live: readonly PathElement[], applied: readonly PathElement[]): MergedOrder {
  if (hasNoOther(live, applied)) return { elements: applied, live: [] };
  const zip = new OrderZip(live, applied);
  zip.advance(Number.POSITIVE_INFINITY);
  return zip;
}

/** The same in steps, for large lists. */
export function* mergedOrderInSteps(
  live: readonly PathElement[],
  applied: readonly PathElement[],
): Generator<void, MergedOrder> {
  if (hasNoOther(live, applied)) return { elements: applied, live: [] };
  const zip = new OrderZip(live, applied);
  while (zip.advance(SLICE)) yield;
  return zip;
}

/** Reports whether the live list is empty or the applied one, as usual: then no element moves. */
function hasNoOther(live: readonly PathElement[], applied: readonly PathElement[]): boolean {
  if (live.length === 0) return true;
  if (live.length !== applied.length) return false;
  for (let i = 0; i < live.length; i++) if (live[i] !== applied[i]) return false;
  return true;
}

/** A merge of two orders under way. */
class OrderZip implements MergedOrder {
  readonly elements: PathElement[] = [];
  readonly live: (number | undefined)[] = [];
  readonly #left: readonly PathElement[];
  readonly #right: readonly PathElement[];
  readonly #inApplied: ReadonlySet<PathElement>;
  /** Applied elements that are live too. */
  readonly #shared: readonly PathElement[];
  readonly #taken = new Set<PathElement>();
  #nextShared = 0;
  #l = 0;
  #r = 0;

  constructor(left: readonly PathElement[], right: readonly PathElement[]) {
    const inLive = new Set(left);
    this.#left = left;
    this.#right = right;
    this.#inApplied = new Set(right);
    this.#shared = right.filter((element) => inLive.has(element));
  }

  /** Makes at most so many moves. Returns false at the end of both lists. */
  advance(moves: number): boolean {
    for (let i = 0; i < moves; i++) {
      const left = this.#left[this.#l];
      const right = this.#right[this.#r];
      if (left === undefined && right === undefined) return false;
      this.#move(left, right);
    }
    return true;
  }

  #move(left: PathElement | undefined, right: PathElement | undefined): void {
    if (left !== undefined && right !== undefined) {
      if (left === right) {
        this.#take(right);
        this.#l++;
        this.#nextShared++;
        return;
      }
      const next = this.#shared[this.#nextShared];
      if (next !== undefined && next !== left && this.#inApplied.has(left)) {
        // Shared, but placed later.
        this.#l++;
        return;
      }
    }
    if (left !== undefined) {
      if (!this.#inApplied.has(left)) {
        this.elements.push(left);
        this.live.push(this.#l++);
        return;
      }
      if (this.#taken.has(left)) this.#l++;
    }
    if (right !== undefined) {
      this.#take(right);
      if (this.#shared[this.#nextShared] === right) this.#nextShared++;
    }
  }

  #take(element: PathElement): void {
    this.#taken.add(element);
    this.elements.push(element);
    this.live.push(undefined);
    this.#r++;
  }
}
