/** Loops over many records give the event loop back after so many milliseconds. */
const SLICE_MS = 5;

/** Measures how long a loop has held the event loop, and lets go of it when that is long enough. */
export class TimeSlice {
  #started = performance.now();

  get over(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  /** Resolves in a later turn of the event loop, with a new slice begun. */
  async yield(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#started = performance.now();
  }
}
