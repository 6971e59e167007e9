/** The place of a member in a fair set. */
export class FairPlace<T> {
  readonly member: T;
  /** Its weighted milliseconds of work so far, in the time of its set. */
  work = 0;

  constructor(member: T) {
    this.member = member;
  }
}

/** Those who wait, of whom the one with the least work goes first. Virtual time: idleness earns nothing. */
export class FairSet<T> {
  readonly #places = new Set<FairPlace<T>>();
  /** The work of the last one that went first. Others begin there at least. */
  #progress = 0;

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  join(place: FairPlace<T>): void {
    if (this.#places.has(place)) return;
    this.#places.add(place);
    place.work = Math.max(this.#progress, place.work);
  }

  leave(place: FairPlace<T>): void {
    this.#places.delete(place);
  }

  first(): T | undefined {
    let first: FairPlace<T> | undefined;
    for (const place of this.#places) if (first === undefined || place.work < first.work) first = place;
    if (first === undefined) return undefined;
    this.#progress = Math.max(this.#progress, first.work);
    return first.member;
  }

  /**
   * Counts work of a member that did not wait. `isFree`: nobody else waited for it, so it makes no debt to later ones.
   */
  charge(place: FairPlace<T>, work: number, isFree: boolean): void {
    const start = Math.max(this.#progress, place.work);
    if (isFree) this.#progress = start;
    place.work = start + work;
  }
}
