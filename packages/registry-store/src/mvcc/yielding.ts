/** Milliseconds after which loops over many records yield to the event loop. */
const SLICE_MS = 5;

/** Size from which a record is checked by itself, not as one of several. */
const LARGE = 64 * 1024;

/** Measures how long a loop has blocked the event loop, and yields when that is too long. */
export class TimeSlice {
  #started = performance.now();

  get over(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  /** The same for a loop that checks the clock once in `several` records, and before large ones. */
  overAt(index: number, several: number, bytes: number): boolean {
    return (index % several === several - 1 || bytes >= LARGE) && this.over;
  }

  /** Resolves in a later event loop turn, and begins a new slice. */
  async yield(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#started = performance.now();
  }
}
