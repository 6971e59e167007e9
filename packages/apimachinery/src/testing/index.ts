export { certificateRequests } from './certificate-requests.js';
export { eventLoopTurns } from './event-loop-turns.js';
export { ManualClock } from './manual-clock.js';
export { WorkCounter } from './work-counter.js';
