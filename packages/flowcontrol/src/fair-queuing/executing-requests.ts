/** A request with its position among those that execute; -1 before and after. */
interface Placed {
  placeAmongExecuting: number;
}

/** The requests that execute, in no order. */
export class ExecutingRequests<R extends Placed> implements Iterable<R> {
  /**
   * Not a Set: V8 chains the tables that a Set has outgrown, so entries that pass through an old one cannot be
   * collected young.
   */
  readonly #members: R[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** The request must be in no such collection. */
  add(request: R): void {
    request.placeAmongExecuting = this.#members.length;
    this.#members.push(request);
  }

  /** Does nothing if the request is not in the collection. */
  delete(request: R): void {
    const place = request.placeAmongExecuting;
    if (this.#members[place] !== request) return;
    request.placeAmongExecuting = -1;
    const last = this.#members.pop();
    if (last === undefined || last === request) return;
    this.#members[place] = last;
    last.placeAmongExecuting = place;
  }

  [Symbol.iterator](): Iterator<R> {
    return this.#members.values();
  }
}
