export { afterPromises } from './after-promises.js';
export { atOnce } from './at-once.js';
export { type Clock, durationClock, MAX_TIMER_MS, monotonicClock, systemClock } from './clock.js';
export { Deadlines } from './deadlines.js';
export { boundedByText, ExpiringCache, type WeightBound } from './expiring-cache.js';
export { hasElapsed } from './has-elapsed.js';
export { inSlices } from './in-slices.js';
export { JoinedSignal } from './joined-signal.js';
export { repeat } from './repeat.js';
export { sleep } from './sleep.js';
export {
  areSlicesWaiting,
  attachToWork,
  chargeSlice,
  runSliced,
  type SlicedWork,
  SliceFlow,
  SliceShare,
  sliceTurn,
  workAttachment,
} from './slice-turns.js';
export { TimeSlice } from './time-slice.js';
export { TokenBucket } from './token-bucket.js';
export { whenAborted } from './when-aborted.js';
export { isDeadlineExceeded, type TimeLimit, withTimeout } from './with-timeout.js';
export { WorkTurns } from './work-turns.js';
