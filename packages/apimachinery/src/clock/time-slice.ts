import { sliceTurn } from './slice-turns.js';

/** Milliseconds for which a loop over many objects may block the event loop. */
const SLICE_MS = 2;

/** Size from which a record is checked alone, not together with others. */
const LARGE = 64 * 1024;

/** Measures how long a loop has blocked the event loop, and yields when that is too long. */
export class TimeSlice {
  readonly #milliseconds: number;
  #started: number;

  /** `started` is the start of the first slice, by `performance.now`. */
  constructor(milliseconds = SLICE_MS, started = performance.now()) {
    this.#milliseconds = milliseconds;
    this.#started = started;
  }

  get over(): boolean {
    return performance.now() - this.#started >= this.#milliseconds;
  }

  /** The same for a loop that checks the clock once in `several` records, and before large ones. */
  overAt(index: number, several: number, bytes: number): boolean {
    return (index % several === several - 1 || bytes >= LARGE) && this.over;
  }

  /** Resolves in a later event loop turn, when other loops that wait had theirs, and begins a new slice. */
  async yield(): Promise<void> {
    await sliceTurn();
    this.#started = performance.now();
  }
}
