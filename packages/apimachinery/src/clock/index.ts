export { atOnce } from './at-once.js';
export { type Clock, systemClock } from './clock.js';
export { Deadlines } from './deadlines.js';
export { ExpiringCache } from './expiring-cache.js';
export { inSlices } from './in-slices.js';
export { sleep } from './sleep.js';
export { TimeSlice } from './time-slice.js';
export { TokenBucket } from './token-bucket.js';
export { isDeadlineExceeded, type TimeLimit, withTimeout } from './with-timeout.js';
