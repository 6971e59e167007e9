import type { Series } from '@apiserver/component-base/metrics';
import { MAX_SEAT_SECONDS, type SeatSeconds, seatsTimes, toSeatSeconds } from './seat-seconds.js';

/** The progress is wound back by this much before it exceeds what a number holds. Upstream: rDecrement */
export const EPOCH: SeatSeconds = (MAX_SEAT_SECONDS + 1) / 2;
/** Upstream: highR */
const HIGHEST: SeatSeconds = EPOCH + EPOCH / 2;

/**
 * The progress meter R of a queue set: seat-seconds that each active queue has been allocated so far.
 * Upstream: syncTimeLocked of k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset/queueset.go
 */
export class VirtualClock {
  readonly #gauge: Series;
  #lastTime: number;
  /** The present progress. */
  r: SeatSeconds = 0;

  constructor(now: number, gauge: Series) {
    this.#lastTime = now;
    this.#gauge = gauge;
  }

  /**
   * Advances to `now`; until then every active queue had `rate` seats. Returns true if the progress was wound back by
   * `EPOCH`; the caller then does the same with all readings of it.
   */
  advance(now: number, rate: number): boolean {
    const passed = now - this.#lastTime;
    this.#lastTime = now;
    if (rate !== 0) this.r += seatsTimes(rate, passed);
    const isNewEpoch = this.r >= HIGHEST;
    if (isNewEpoch) this.r -= EPOCH;
    this.#gauge.value = toSeatSeconds(this.r);
    return isNewEpoch;
  }
}
