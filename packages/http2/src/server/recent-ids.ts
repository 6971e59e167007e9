const KEPT = 64;

/** The last few ids that were added. */
export class RecentIds {
  #ids: number[] | undefined = undefined;
  #next = 0;

  add(id: number): void {
    this.#ids ??= [];
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) % KEPT;
  }

  has(id: number): boolean {
    return this.#ids?.includes(id) ?? false;
  }
}
