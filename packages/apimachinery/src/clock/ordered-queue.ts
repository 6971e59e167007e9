interface Entry<T> {
  readonly member: T;
  readonly order: number;
  /** Of those with the same order, the one that came first is first. */
  readonly sequence: number;
}

/** Members by their order, then as they came. A binary heap: ten thousand members may come out of order. */
export class OrderedQueue<T> {
  readonly #heap: Entry<T>[] = [];
  #sequence = 0;

  get isEmpty(): boolean {
    return this.#heap.length === 0;
  }

  push(member: T, order: number): void {
    const entry = { member, order, sequence: this.#sequence++ };
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >>> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, entry)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = entry;
  }

  /** Removes the first member; undefined if there is none. */
  shift(): T | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first?.member;
  }

  /** Puts an entry in the place of the first one. */
  #sink(entry: Entry<T>): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isOther = other !== undefined && isBefore(other, one);
      const next = isOther ? other : one;
      if (isBefore(entry, next)) break;
      heap[place] = next;
      place = isOther ? left + 1 : left;
    }
    heap[place] = entry;
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.order < b.order || (a.order === b.order && a.sequence < b.sequence);
}
