/** Loops over many records give the event loop back after so many milliseconds. */
const SLICE_MS = 5;

/** Bytes from which on a record is looked at by itself, and not as one of several. */
const LARGE = 64 * 1024;

/** Measures how long a loop has held the event loop, and lets go of it when that is long enough. */
export class TimeSlice {
  #started = performance.now();

  get over(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  /**
   * The same of a loop that looks at the clock once in `several` records: at those after which it does, and before large
   * ones.
   */
  overAt(index: number, several: number, bytes: number): boolean {
    return (index % several === several - 1 || bytes >= LARGE) && this.over;
  }

  /** Resolves in a later turn of the event loop, with a new slice begun. */
  async yield(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#started = performance.now();
  }
}
