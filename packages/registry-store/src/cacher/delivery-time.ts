import { TimeSlice } from '@apiserver/apimachinery/clock';

/** Milliseconds of a turn of the event loop in which live watchers match changes. */
const TURN_MS = 20;
/** Matches after which the clock is read. */
const MATCHED_AT_ONCE = 8;

/**
 * The time that changes take in this turn to be matched with the selectors of live watchers. All caches share it: a commit may
 * change several.
 */
export class DeliveryTime {
  #turn: TimeSlice | undefined;
  #matched = 0;
  #isOver = false;

  /** Called before each match. True if it has to wait for another turn. `bytes`: of the change. */
  isOver(bytes: number): boolean {
    if (this.#turn === undefined) {
      this.#turn = new TimeSlice(TURN_MS);
      this.#isOver = false;
      setImmediate(() => {
        this.#turn = undefined;
      });
    }
    this.#isOver ||= this.#turn.overAt(this.#matched++, MATCHED_AT_ONCE, bytes);
    return this.#isOver;
  }
}
