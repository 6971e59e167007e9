/** The most recently added IDs. */
export class RecentIds {
  readonly #kept: number;
  #ids: number[] | undefined = undefined;
  #next = 0;

  /** `kept`: number of IDs. */
  constructor(kept: number) {
    this.#kept = kept;
  }

  add(id: number): void {
    this.#ids ??= [];
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) % this.#kept;
  }

  has(id: number): boolean {
    return this.#ids?.includes(id) ?? false;
  }
}
